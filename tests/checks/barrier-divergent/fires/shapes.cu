#include "../../check_case.h"

// A while loop whose condition differs between threads.
__global__ void while_loop(const int* in) {
  int left = in[threadIdx.x];
  while (left > 0) {
    left -= 2;
    __syncthreads(); // expect: barrier-divergent
  }
}

// The left-hand side of && guards the right.
__device__ bool all_positive(int value) {
  return __syncthreads_and(value > 0) != 0; // expect: barrier-divergent
}
__global__ void short_circuit(const int* in, int* out) {
  if (in[threadIdx.x] > 2 && all_positive(in[threadIdx.x])) out[threadIdx.x] = 1;
}

__global__ void in_switch(const int* in, int* out) {
  switch (in[threadIdx.x] % 3) {
  case 0: out[threadIdx.x] = 1; break;
  case 1: __syncthreads(); // expect: barrier-divergent
  default: out[threadIdx.x] = 2;
  }
}

// A tree in shared memory with its barrier inside the guard.
__global__ void tree(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2)
    if (threadIdx.x < step) {
      tile[threadIdx.x] += tile[threadIdx.x + step];
      __syncthreads(); // expect: barrier-divergent
    }
  if (threadIdx.x == 0) out[0] = tile[0];
}

// Only the last block has threads without an element.
__global__ void last_block(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 1;
    __syncthreads(); // expect: barrier-divergent
  }
}

__global__ void lambda(int* out) {
  const auto meet = [&] {
    out[threadIdx.x] = 1;
    __syncthreads(); // expect: barrier-divergent
  };
  if (threadIdx.x != 9) meet();
}

int main() {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i % 7;
  int* in = device_array<int>(64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  while_loop<<<1, 64>>>(in);
  short_circuit<<<1, 64>>>(in, device_array<int>(64));
  in_switch<<<1, 64>>>(in, device_array<int>(64));
  tree<<<1, 64>>>(device_array<int>(1));
  last_block<<<3, 64>>>(device_array<int>(192), 150);
  lambda<<<1, 64>>>(device_array<int>(64));
  return finish();
}
