#!/bin/sh
# Builds and runs everything that needs a GPU: tests of all types, then the benchmarks, results as JSON in a folder.
#   device/bench/h200.sh RESULTS [ARCH]
set -eu
cd "$(dirname "$0")"
results=$1
arch=${2:-sm_90}
build=${BUILD:-/tmp/tollgate_device_bench}
mkdir -p "$results"
make ARCH="$arch" OUT="$build" -j"$(nproc)" all tests >"$results/build.log" 2>&1 || { tail -20 "$results/build.log"; exit 1; }
rm "$results/build.log"
for test in "$build"/test_*; do "$test"; done
"$build/aggregated_bench" --out "$results/aggregated.json"
"$build/histogram_bench" --out "$results/histogram.json" >"$results/histogram.txt" || tail -3 "$results/histogram.txt"
"$build/atlas" --out "$results/atlas.json"
