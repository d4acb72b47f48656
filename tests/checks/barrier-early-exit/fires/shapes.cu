#include "../../check_case.h"

// One warp has nothing to do and leaves.
__global__ void warp_leaves(int* out) {
  if (threadIdx.x >= 64) return;
  out[threadIdx.x] = 1;
  __syncthreads(); // expect: barrier-early-exit
}

// Only the last block is not full.
__global__ void last_block(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __syncthreads(); // expect: barrier-early-exit
  out[i] = 1;
}

__global__ void counted(const int* in, int* out) {
  if (in[threadIdx.x] < 0) return;
  out[threadIdx.x] = __syncthreads_count(in[threadIdx.x] > 3); // expect: barrier-early-exit
}

__global__ void exit_instruction(int* out) {
  if (threadIdx.x == 0) asm volatile("exit;");
  __syncthreads(); // expect: barrier-early-exit
  out[threadIdx.x] = 1;
}

// Behind a loop in which each thread may find what it looks for.
__global__ void search(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i)
    if (in[i] == threadIdx.x) {
      out[threadIdx.x] = i;
      return;
    }
  __syncthreads(); // expect: barrier-early-exit
  out[threadIdx.x] = -1;
}

int main() {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i % 7 - 1;
  int* in = device_array<int>(64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  warp_leaves<<<1, 96>>>(device_array<int>(64));
  last_block<<<2, 64>>>(device_array<int>(128), 100);
  counted<<<1, 64>>>(in, device_array<int>(64));
  exit_instruction<<<1, 64>>>(device_array<int>(64));
  search<<<1, 64>>>(in, device_array<int>(64), 64);
  return finish();
}
