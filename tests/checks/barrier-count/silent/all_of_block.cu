// Without a count a barrier stands for the whole block, whatever its number.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[70];
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 15;" ::: "memory");
  out[threadIdx.x] = tile[69 - threadIdx.x];
  asm volatile("barrier.sync 4;" ::: "memory");
}

int main() {
  kernel<<<1, 70>>>(device_array<int>(70));
  return finish();
}
