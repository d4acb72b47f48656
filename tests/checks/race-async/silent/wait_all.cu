// cp.async.wait_all waits for copies without a group as well.
#include "../../check_case.h"
#include <cuda_pipeline.h>

__global__ void copy(int* data, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[t])), "l"(&data[t]) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = tile[t];
}

int main() {
  copy<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
  return finish();
}
