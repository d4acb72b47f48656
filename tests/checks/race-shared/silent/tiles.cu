// Double-buffered tiles: one barrier a pass suffices.
#include "../../check_case.h"

__global__ void passes(int* out) {
  __shared__ int tile[2][128];
  int sum = 0;
  for (int pass = 0; pass < 6; ++pass) {
    tile[pass % 2][threadIdx.x] = pass;
    __syncthreads();
    sum += tile[pass % 2][127 - threadIdx.x];
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main() {
  passes<<<3, 128>>>(device_array<int>(3 * 128));
  return finish();
}
