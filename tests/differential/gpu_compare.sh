#!/bin/sh
# Compares COUNT random kernels (from seed FIRST) with the GPU of this machine, in JOBS processes that share the seeds.
# CUDA's own compiler crashes on a few kernels (seeds 181 and 359 among the first 500): a process that ends is begun
# again behind its kernel. Kernels that differ are kept in KEPT, as they are and made smaller.
# Usage: gpu_compare.sh FUZZ_KERNELS [FIRST [COUNT [JOBS [KEPT]]]]; exit code 1 if an answer differs.
set -eu
program=$1 first=${2:-1} count=${3:-500} jobs=${4:-8} kept=${5:-kept}
end=$((first + count))
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

share() { # kernels from $1 to before $2
  at=$1 log=$results/$1 now=$results/now$1
  while [ "$at" -lt "$2" ]; do
    status=0
    "$program" --gpu --keep-going --seed "$at" --count $(($2 - at)) --minimise-seconds 10 --output "$kept" \
      >"$now" 2>>"$results/errors" || status=$?
    cat "$now" >>"$log"
    if [ $status -le 1 ]; then return; fi
    last=$(sed -n 's/^seed \([0-9]*\):.*/\1/p' "$now" | tail -1)
    if [ -z "$last" ]; then echo "seed $at and after: not begun" >>"$log"; return; fi
    case $status in 3) ;; *) echo "crash" >>"$log" ;; esac
    at=$((last + 1))
  done
}

each=$(((count + jobs - 1) / jobs))
at=$first
while [ "$at" -lt "$end" ]; do
  to=$((at + each < end ? at + each : end))
  share "$at" "$to" &
  at=$to
done
wait
sort "$results/errors" 2>/dev/null | uniq -c | sed 's/^ */errors: /'
cat "$results"/[0-9]* | awk -F '[ :]+' '/^seed/ { if ($3 == "same") same++; else if ($3 == "different") { differ = differ " " $2; print }
    else { broken = broken " " $2; print } }
  END { printf "%d the same; different:%s; not compared (compiler crashed, or no GPU):%s\n", same,
    differ ? differ : " none", broken ? broken : " none"
    exit differ || !same ? 1 : 0 }'
