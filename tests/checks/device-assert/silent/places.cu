#include "../../check_case.h"

#include <cassert>

__device__ int checked(int index, int size) {
  assert(index < size);
  return index;
}
__global__ void in_function(int* out, int n) { out[threadIdx.x] = checked(threadIdx.x, n); }

__global__ void in_loop(int* out, int n) {
  for (int i = 0; i < 8; ++i) {
    assert(i != n);
    out[threadIdx.x] += i;
  }
}

__global__ void last_block(int n) { assert(blockIdx.x + 1 < n && "the grid has a block too many"); }

template <typename T> __global__ void of_template(T* out) {
  assert(sizeof(T) == 8);
  out[threadIdx.x] = T{};
}

__global__ void behind_guard(int* out, int n) {
  if (threadIdx.x >= n) return;
  assert(threadIdx.x < 20);
  out[threadIdx.x] = 1;
}

int main() {
  in_function<<<1, 33>>>(device_array<int>(33), 33);
  in_loop<<<1, 32>>>(device_array<int>(32), 8);
  last_block<<<4, 32>>>(5);
  of_template<<<1, 32>>>(device_array<long long>(32));
  behind_guard<<<1, 32>>>(device_array<int>(32), 20);
  return finish();
}
