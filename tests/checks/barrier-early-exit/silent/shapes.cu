#include "../../check_case.h"

__global__ void warp_works(int* out) { // guarded instead
  if (threadIdx.x < 64) out[threadIdx.x] = 1;
  __syncthreads();
}

__global__ void full_blocks(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __syncthreads();
  out[i] = 1;
}

// The warps that stay meet at a barrier of their own.
__global__ void named(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x >= 64) return;
  tile[threadIdx.x] = threadIdx.x;
  SYNC(1, 64);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void warp_barrier(int* out) {
  if (threadIdx.x >= 20) return;
  __syncwarp();
  out[threadIdx.x] = 1;
}

__global__ void from_function(int* out, int n) { // `return` of a function that is not the kernel
  const auto work = [&] {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
  };
  work();
  __syncthreads();
}

int main() {
  warp_works<<<1, 96>>>(device_array<int>(64));
  full_blocks<<<2, 64>>>(device_array<int>(128), 128);
  named<<<1, 96>>>(device_array<int>(64));
  warp_barrier<<<1, 32>>>(device_array<int>(32));
  from_function<<<1, 64>>>(device_array<int>(64), 40);
  return finish();
}
