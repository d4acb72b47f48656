#!/bin/sh
# Installs what scripts/packages.txt names and this machine lacks; does nothing when all is there.
set -eu
list=$(dirname "$0")/packages.txt

command -v dpkg-query >/dev/null 2>&1 || {
  echo "install_packages: this is no Debian system; install by hand what $list names" >&2
  exit 0
}

missing=
for package in $(grep -v '^#' "$list"); do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "install_packages: missing:$missing" >&2
    echo "install_packages: neither root nor sudo; run as root: apt-get install$missing" >&2
    exit 1
  }
  as_root=sudo
fi

echo "install_packages: installing$missing"
$as_root apt-get -q update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing
