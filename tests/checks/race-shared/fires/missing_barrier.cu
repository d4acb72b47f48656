// Each thread reads what a thread of another warp writes.
#include "../../check_case.h"

__global__ void reverse(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;       // other: race-shared
  out[threadIdx.x] = tile[127 - threadIdx.x]; // other: race-shared
}

int main() {
  reverse<<<1, 128>>>(device_array<int>(128));
  return finish();
}
