// options: --arch sm_80
#include "../../check_case.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void half_precision(__half2* out) { out[threadIdx.x] = __hfma2(out[threadIdx.x], out[threadIdx.x], __float2half2_rn(1)); }

__global__ void asynchronous(const int* in, int* out) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void dot(int* out) { out[threadIdx.x] = __dp4a(int(threadIdx.x), 0x01020304, 5); }

__global__ void prints(int* out) {
  if (threadIdx.x == 0) printf("%d\n", out[0]);
}

int main() {
  half_precision<<<1, 32>>>(device_array<__half2>(32));
  asynchronous<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
  dot<<<1, 32>>>(device_array<int>(32));
  prints<<<1, 32>>>(device_array<int>(1));
  return finish();
}
