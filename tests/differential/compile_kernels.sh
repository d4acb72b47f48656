#!/bin/sh
# Random kernels COUNT from seed FIRST, compiled for the GPU ahead of a comparison there: FOLDER/seed_N.cubin, and
# FOLDER/expected with the hashes of what the interpreter says. Seeds that CUDA's compiler crashes on are named.
# Usage: compile_kernels.sh FUZZ_KERNELS FOLDER [FIRST [COUNT [LEVEL [ARCH]]]], then on the machine with the GPU
#   FUZZ_KERNELS --gpu --keep-going --seed FIRST --count COUNT --cubins FOLDER --expected FOLDER/expected
set -eu
program=$1 folder=$2 first=${3:-1} count=${4:-500} level=${5:-3} arch=${6:-sm_90}
mkdir -p "$folder"
"$program" --seed "$first" --count "$count" --write-expected "$folder/expected"
seed=$first
while [ "$seed" -lt $((first + count)) ]; do
  "$program" --print --seed "$seed" >"$folder/now.ptx"
  ptxas -arch="$arch" -O"$level" "$folder/now.ptx" -o "$folder/seed_$seed.cubin" 2>"$folder/now.log" ||
    { echo "seed $seed: ptxas failed: $(head -1 "$folder/now.log")"; rm -f "$folder/seed_$seed.cubin"; }
  seed=$((seed + 1))
done
rm -f "$folder/now.ptx" "$folder/now.log"
