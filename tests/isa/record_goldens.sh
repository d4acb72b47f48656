#!/bin/sh
# Records tests/isa/goldens anew on a machine with a CUDA driver, g++ and zstd:
#   tests/isa/record_goldens.sh [FOLDER]      default: tests/isa/goldens
# Where zstd is missing the words stay uncompressed; then run `zstd -19 --rm FOLDER/*.bin` elsewhere.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/goldens}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in gpu_oracle kernel_cases warp_kernels atomic_kernels memory_kernels barrier_kernels cluster_kernels; do
  "${CXX:-g++}" -std=c++20 -O1 -c "$here/$source.cpp" -o "$work/$source.o" &
done
wait
"${CXX:-g++}" "$work"/*.o -ldl -o "$work/gpu_oracle"
"$work/gpu_oracle" "$here/gpu_cases.txt" "$out"
if command -v zstd >/dev/null; then zstd -q -19 -f --rm "$out/instructions.bin" "$out/kernels.bin"; fi
ls -l "$out"
