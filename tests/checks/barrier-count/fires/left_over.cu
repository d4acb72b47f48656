// Nobody waits for the last arrival: a note.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x;
    ARRIVE(3, 64);
    SYNC(4, 64);
    ARRIVE(3, 64); // expect: barrier-count
  } else {
    SYNC(3, 64);
    out[threadIdx.x] = tile[threadIdx.x - 32];
    ARRIVE(4, 64);
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
