#include "../../check_case.h"

#include <cassert>

__device__ int checked(int index, int size) {
  assert(index < size); // expect: device-assert
  return index;
}
__global__ void in_function(int* out, int n) { out[threadIdx.x] = checked(threadIdx.x, n); }

__global__ void in_loop(int* out, int n) {
  for (int i = 0; i < 8; ++i) {
    assert(i != n); // expect: device-assert
    out[threadIdx.x] += i;
  }
}

__global__ void last_block(int n) {
  assert(blockIdx.x + 1 < n && "the grid has a block too many"); // expect: device-assert
}

template <typename T> __global__ void of_template(T* out) {
  assert(sizeof(T) == 8); // expect: device-assert
  out[threadIdx.x] = T{};
}

__global__ void float_value(const float* in, float* out) {
  assert(in[threadIdx.x] > 0.0f); // expect: device-assert
  out[threadIdx.x] = 1.0f / in[threadIdx.x];
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { in_function<<<1, 33>>>(device_array<int>(33), 32); },
                     [] { in_loop<<<1, 32>>>(device_array<int>(32), 5); }, [] { last_block<<<4, 32>>>(4); },
                     [] { of_template<<<1, 32>>>(device_array<int>(32)); },
                     [] { float_value<<<1, 32>>>(device_array<float>(32), device_array<float>(32)); }});
}
