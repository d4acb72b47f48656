#!/bin/sh
# Builds CUB's own tests of DeviceHistogram against tollgate::DeviceHistogram. Both sources are fetched by hand and are no
# part of this repository: CCCL (tag v3.0.3, the version beside CUDA 13.0) and Catch2 (version 3).
#   device/tests/cub_tests.sh CCCL_FOLDER CATCH2_FOLDER OUT_FOLDER
# makes OUT_FOLDER/cub_histogram_0 (plain calls) and cub_histogram_2 (captured in a graph), for a GPU of sm_90, and
# OUT_FOLDER/cub_histogram_engine, for `tollgate run`. What is adapted in the tests, and why: docs/histogram.md.
set -eu
[ $# = 3 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
cccl=$1 catch2=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
for file in "$cccl/cub/test/catch2_test_device_histogram.cu" "$cccl/c2h/generators.cu" \
            "$catch2/extras/catch_amalgamated.cpp"; do
  [ -f "$file" ] || { echo "cub_tests: there is no $file" >&2; exit 2; }
done
mkdir -p "$out/include/catch2"

# Catch2 is configured by CMake; its defaults are all that is wanted of it.
sed -e 's,^#cmakedefine.*,,' -e 's,@CATCH_CONFIG_DEFAULT_REPORTER@,console,' -e 's,@CATCH_CONFIG_CONSOLE_WIDTH@,120,' \
  "$catch2/src/catch2/catch_user_config.hpp.in" >"$out/include/catch2/catch_user_config.hpp"

# One name changes, and two expectations: sums that CUB refuses because 64 bits do not hold them are counted here, exactly;
# bins of half samples are computed in float here, where CUB and its test compute them in half.
in_float='if constexpr (sizeof(SampleT) == 2) return static_cast<int>((static_cast<float>(sample) - static_cast<float>(min))'
in_float="$in_float * (static_cast<float>(n - 1) / (static_cast<float>(max) - static_cast<float>(min))));"
sed -e 's,cub::DeviceHistogram::,tollgate::DeviceHistogram::,' \
  -e 's,^#include <cub/device/device_histogram.cuh>,&\n#include <tollgate/device_histogram.h>,' \
  -e 's,CHECK(error2 == (num_bins == 1 || sizeof(sample_t) <= 4UL ? cudaSuccess : cudaErrorInvalidValue)),CHECK(error2 == cudaSuccess),' \
  -e "s,return static_cast<int>((sample - min) \* fp_scales\[channel\]);,$in_float else &," \
  "$cccl/cub/test/catch2_test_device_histogram.cu" >"$out/histogram.cu"

includes="-I$here/../include -I$out/include -I$catch2/src -I$cccl/c2h/include -I$cccl/cub/test"
includes="$includes -I$cccl/cub -I$cccl/thrust -I$cccl/libcudacxx/include"
arch='-gencode arch=compute_90,code=[sm_90,compute_90]'
flags="-std=c++17 -O1 --expt-relaxed-constexpr --extended-lambda -diag-suppress 177 $arch $includes"
flags="$flags -DC2H_HAS_CURAND=0 -DCUB_CONFIG_MAIN -DCUB_EXCLUDE_CATCH2_HELPER_IMPL -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CUDA"
build() { # object, command: nothing is built twice
  [ -f "$out/$1" ] || { shift; "$@"; }
}
build catch.o g++ -std=c++17 -O0 -I"$catch2/extras" -c -o "$out/catch.o" "$catch2/extras/catch_amalgamated.cpp" \
  -DCATCH_AMALGAMATED_CUSTOM_MAIN
build generators.o nvcc $flags -c -o "$out/generators.o" "$cccl/c2h/generators.cu"
build runner.o nvcc $flags -c -o "$out/runner.o" "$cccl/c2h/catch2_runner_helper.cu"
for launch in 0 2; do
  build histogram_$launch.o nvcc $flags -DTEST_LAUNCH=$launch -c -o "$out/histogram_$launch.o" "$out/histogram.cu"
  nvcc $arch -o "$out/cub_histogram_$launch" "$out/histogram_$launch.o" "$out/generators.o" "$out/runner.o" "$out/catch.o"
done
nvcc $arch -cudart shared -o "$out/cub_histogram_engine" "$out/histogram_0.o" "$out/generators.o" "$out/runner.o" \
  "$out/catch.o"
