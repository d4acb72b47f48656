// Neighbouring bytes of one word belong to different threads.
#include "../../check_case.h"

__global__ void bytes(int* out) {
  __shared__ unsigned char flags[128];
  flags[threadIdx.x] = threadIdx.x;
  flags[threadIdx.x] += 1;
  __syncthreads();
  out[threadIdx.x] = flags[127 - threadIdx.x];
}

int main() {
  bytes<<<1, 128>>>(device_array<int>(128));
  return finish();
}
