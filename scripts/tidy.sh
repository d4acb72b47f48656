#!/bin/sh
# Runs clang-tidy 19 over the given sources (all of src/ without arguments). Usage: tidy.sh [--build DIR] [FILE...]
set -eu
cd "$(dirname "$0")/.."
build=build
if [ "${1:-}" = --build ]; then
  build=$2
  shift 2
fi
tool=
for name in clang-tidy-19 clang-tidy; do
  command -v $name >/dev/null 2>&1 && tool=$name && break
done
[ -n "$tool" ] || {
  echo "tidy: clang-tidy is missing; apt-get install clang-tidy-19" >&2
  exit 1
}
[ -f "$build/compile_commands.json" ] || {
  echo "tidy: $build is not configured; run cmake --preset release" >&2
  exit 1
}
[ $# -gt 0 ] || set -- $(git ls-files 'src/*.cpp')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 $tool -p "$build" --quiet
