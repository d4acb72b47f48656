#include "../../check_case.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// The longest trip count of the block is everybody's.
__global__ void while_loop(const int* in) {
  int left = in[threadIdx.x];
  while (__syncthreads_or(left > 0)) left -= 2;
}

__global__ void short_circuit(const int* in, int* out) {
  const bool all = __syncthreads_and(in[threadIdx.x] > 0) != 0;
  if (in[threadIdx.x] > 2 && all) out[threadIdx.x] = 1;
}

__global__ void in_switch(int n, int* out) { // the same case for all
  switch (n) {
  case 0: out[threadIdx.x] = 1; break;
  case 1: __syncthreads();
  default: out[threadIdx.x] = 2;
  }
}

__global__ void tree(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = tile[0];
}

__global__ void last_block(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
  __syncthreads();
}

// A grid-stride loop whose trip count is the same for all threads of a block.
__global__ void uniform_loop(int* out, int n) {
  __shared__ int tile[64];
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    const int i = base + threadIdx.x;
    tile[threadIdx.x] = i;
    __syncthreads();
    if (i < n) out[i] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}

// Tiles of cooperative groups meet among themselves, in a branch of their own.
__global__ void tiles(int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x / 16 % 2 == 0) {
    out[threadIdx.x] = tile.shfl(threadIdx.x, 3);
    tile.sync();
  }
  cg::this_thread_block().sync();
}

// Warps with roles of their own, and named barriers between them.
__global__ void roles(int* out) {
  __shared__ int ring[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 3; ++i) {
      ring[lane] = i;
      ARRIVE(1, 64);
      SYNC(2, 64);
    }
  } else {
    for (int i = 0; i < 3; ++i) {
      SYNC(1, 64);
      out[lane] += ring[31 - lane];
      ARRIVE(2, 64);
    }
  }
}

int main() {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i % 7;
  int* in = device_array<int>(64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  while_loop<<<1, 64>>>(in);
  short_circuit<<<1, 64>>>(in, device_array<int>(64));
  in_switch<<<1, 64>>>(1, device_array<int>(64));
  tree<<<1, 64>>>(device_array<int>(1));
  last_block<<<3, 64>>>(device_array<int>(192), 150);
  uniform_loop<<<2, 64>>>(device_array<int>(300), 300);
  tiles<<<1, 64>>>(device_array<int>(64));
  roles<<<1, 64>>>(device_array<int>(32));
  return finish();
}
