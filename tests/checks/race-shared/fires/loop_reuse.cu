// The barrier at the end of the loop is missing: the next pass overwrites what others still read.
#include "../../check_case.h"

__global__ void passes(int* out) {
  __shared__ int tile[128];
  int sum = 0;
  for (int pass = 0; pass < 4; ++pass) {
    tile[threadIdx.x] = pass;            // other: race-shared
    __syncthreads();
    sum += tile[127 - threadIdx.x];      // other: race-shared
  }
  out[threadIdx.x] = sum;
}

int main() {
  passes<<<1, 128>>>(device_array<int>(128));
  return finish();
}
