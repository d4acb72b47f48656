#include "../../check_case.h"

__global__ void plain() {}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void with_static(int* out) {
  __shared__ int array[8192];
  array[threadIdx.x] = 1;
  out[threadIdx.x] = array[threadIdx.x];
}
__global__ void together() {}

// Looks at each failure, so that nothing but the launch itself is to be told.
void seen() { std::printf("%s\n", cudaGetErrorName(cudaGetLastError())); }

int main() {
  plain<<<1, 1025>>>(); // expect: bad-launch
  seen();
  plain<<<1, dim3(32, 33)>>>(); // expect: bad-launch
  seen();
  plain<<<1, dim3(1, 1, 65)>>>(); // expect: bad-launch
  seen();
  plain<<<0, 32>>>(); // expect: bad-launch
  seen();
  plain<<<1, 0>>>(); // expect: bad-launch
  seen();
  plain<<<dim3(1, 65536), 32>>>(); // expect: bad-launch
  seen();
  plain<<<dim3(1, 1, 65536), 32>>>(); // expect: bad-launch
  seen();
  plain<<<1, 32, 48 * 1024 + 1>>>(); // expect: bad-launch
  seen();
  bounded<<<1, 129>>>(); // expect: bad-launch
  seen();
  with_static<<<1, 32, 17 * 1024>>>(device_array<int>(32)); // expect: bad-launch
  seen();
  cudaLaunchCooperativeKernel(together, 100000, 32, nullptr, 0, nullptr); // expect: bad-launch
  seen();
  return finish();
}
