#!/bin/sh
# Builds and runs everything that needs a GPU: tests of all types, the same small tests under compute-sanitizer, then the
# benchmarks. Results are written as JSON into a folder.
#   device/bench/h200.sh RESULTS [ARCH]
# With NCCL=FOLDER (include/nccl.h and lib/libnccl.so or libnccl.so.2) it does the same for several GPUs.
set -eu
cd "$(dirname "$0")"
results=$1
arch=${2:-sm_90}
build=${BUILD:-/tmp/tollgate_device_bench}
mkdir -p "$results"
make ARCH="$arch" OUT="$build" -j"$(nproc)" all tests >"$build.log" 2>&1 || { tail -20 "$build.log"; exit 1; }
for test in "$build"/test_*; do "$test"; done
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    for test in even range many_keys aggregated weighted; do
      echo "$tool, $test: $(timeout 60 compute-sanitizer --tool $tool --error-exitcode 9 "$build/small_$test" 2>&1 | tail -1)"
    done
  done
fi
"$build/aggregated_bench" --out "$results/aggregated.json"
"$build/steps" --out "$results/steps.json"
"$build/bins" --out "$results/bins.json"
"$build/atomics" --out "$results/atomics.json"
"$build/atlas" --out "$results/atlas.json"
"$build/histogram_bench" --out "$results/histogram.json" >"$results/histogram.txt" || tail -3 "$results/histogram.txt"
if [ -n "${NCCL:-}" ]; then
  make ARCH="$arch" OUT="$build" NCCL="$NCCL" -j2 nccl nccl_bench >"$build.log" 2>&1 || { tail -20 "$build.log"; exit 1; }
  "$build/test_nccl"
  "$build/nccl_bench" --out "$results/nccl.json"
fi
