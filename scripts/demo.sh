#!/bin/sh
# The main job on real input: a histogram of a large file run on the CPU and compared with an independent count, then
# a wrong kernel and its repair checked. Usage: demo.sh [FILE]; FILE defaults to a toolchain binary of 20 MB or more.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tollgate=$root/build/tollgate
work=$root/build/demo
least=20000000
mkdir -p "$work"

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

command -v nvcc >/dev/null 2>&1 || fail "nvcc was not found on PATH; the demo compiles .cu files with the CUDA toolkit (12 or 13)"
[ -x "$tollgate" ] || fail "$tollgate is not built; run 'make' first"

input=${1:-}
if [ -z "$input" ]; then
  for candidate in "$(dirname "$(readlink -f "$(command -v nvcc)")")/ptxas" /usr/lib/llvm-19/lib/libLLVM.so* /usr/lib/*/libLLVM*; do
    if [ -f "$candidate" ] && [ "$(stat -L -c %s "$candidate")" -ge $least ]; then
      input=$candidate
      break
    fi
  done
fi
[ -f "$input" ] || fail "no file of $least bytes was found; give one: scripts/demo.sh FILE"

say "tollgate run examples/hist256.cu -- $input   ($(stat -L -c %s "$input") bytes)"
"$tollgate" run "$root/examples/hist256.cu" -- "$input" >"$work/counts.txt" || fail "hist256 ended with exit code $?"
python3 "$root/scripts/byte_histogram.py" "$input" >"$work/expected.txt"
tail -n 3 "$work/counts.txt"
cmp "$work/counts.txt" "$work/expected.txt" || fail "the counts differ from an independent count"
echo "all 256 counts equal those of scripts/byte_histogram.py"

say "tollgate check examples/guarded_barrier.cu   (wrong on purpose)"
code=0
"$tollgate" check "$root/examples/guarded_barrier.cu" || code=$?
[ $code = 99 ] || fail "exit code $code where 99 (findings) was expected"
echo "exit code 99: findings"

say "tollgate check examples/guarded_barrier_fixed.cu   (the repair)"
"$tollgate" check "$root/examples/guarded_barrier_fixed.cu" || fail "exit code $? where 0 was expected"
echo "exit code 0: clean"
