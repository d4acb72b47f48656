#!/bin/sh
# Formats the C++ sources and the device library in place, or with --check says which differ (exit 1). Needs
# clang-format 19. The .cu programs of tests/ and examples/ are left alone: their findings are expected by line.
set -eu
cd "$(dirname "$0")/.."
tool=
for name in clang-format-19 clang-format; do
  command -v $name >/dev/null 2>&1 && tool=$name && break
done
[ -n "$tool" ] || {
  echo "format: clang-format is missing; apt-get install clang-format-19" >&2
  exit 1
}
mode=-i
[ "${1:-}" = --check ] && mode="--dry-run -Werror"
git ls-files -z '*.h' '*.cpp' '*.cuh' 'device/*.cu' 'bench/*.cu' | xargs -0 -r $tool $mode
