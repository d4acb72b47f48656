// What seven warps have read before they met is in order; what one of them reads again behind the barrier is not.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int table[32];
  if (threadIdx.x < 32) table[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x >= 224) return;
  int sum = table[threadIdx.x % 32];
  SYNC(1, 224);
  if (threadIdx.x / 32 == 6) sum += table[threadIdx.x % 32]; // other: race-shared
  if (threadIdx.x / 32 == 0) table[threadIdx.x % 32] = sum; // expect: race-shared
  out[threadIdx.x] = sum;
}

int main() {
  kernel<<<1, 256>>>(device_array<int>(256));
  return finish();
}
