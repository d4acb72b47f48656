#include "../../check_case.h"

__device__ __noinline__ int depth(int n) {
  volatile int kept[16] = {n};
  return n == 0 ? 0 : depth(n - 1) + kept[n % 16];
}

__global__ void kernel(int* out, int n) { out[0] = depth(n); }

int main() {
  kernel<<<1, 1>>>(device_array<int>(1), 100);
  return finish();
}
