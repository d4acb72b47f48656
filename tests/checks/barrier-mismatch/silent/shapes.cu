#include "../../check_case.h"

__global__ void every_trip(int* out) { // the same call for all in each trip
  for (int i = 0; i < 2; ++i) {
    if (i % 2 == 0) __syncthreads();
    else __syncthreads();
    out[threadIdx.x] += 1;
  }
}

__device__ __noinline__ void meet() { __syncthreads(); }
__global__ void functions(int* out) {
  meet();
  out[threadIdx.x] = 1;
  meet();
}

__global__ void uniform_branch(int* out, int n) {
  if (n > 5) __syncthreads();
  else __syncthreads();
  out[threadIdx.x] = __syncthreads_and(threadIdx.x < 40);
}

// Two pairs of warps on two barriers at once.
__global__ void pairs(int* out) {
  const int pair = threadIdx.x / 64;
  SYNC(1 + pair, 64);
  out[threadIdx.x] = 1;
  SYNC(1 + pair, 64);
}

template <int N> __device__ void unrolled(int* out) {
  if constexpr (N > 0) {
    __syncthreads();
    out[threadIdx.x] += N;
    unrolled<N - 1>(out);
  }
}
__global__ void templates(int* out) { unrolled<3>(out); }

int main() {
  every_trip<<<1, 64>>>(device_array<int>(64));
  functions<<<1, 64>>>(device_array<int>(64));
  uniform_branch<<<1, 64>>>(device_array<int>(64), 3);
  pairs<<<1, 128>>>(device_array<int>(128));
  templates<<<1, 64>>>(device_array<int>(64));
  return finish();
}
