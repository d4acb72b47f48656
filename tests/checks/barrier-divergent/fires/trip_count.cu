// The loop around the barrier runs a different number of times in different threads.
#include "../../check_case.h"

__global__ void kernel(const int* trips, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = 0; i < trips[threadIdx.x]; ++i) {
    atomicAdd(&sum, 1);
    __syncthreads(); // expect: barrier-divergent
  }
  out[threadIdx.x] = 1;
}

int main() {
  int trips[64];
  for (int i = 0; i < 64; ++i) trips[i] = i < 40 ? 3 : 5;
  int* device = device_array<int>(64);
  cudaMemcpy(device, trips, sizeof trips, cudaMemcpyHostToDevice);
  kernel<<<1, 64>>>(device, device_array<int>(64));
  return finish();
}
