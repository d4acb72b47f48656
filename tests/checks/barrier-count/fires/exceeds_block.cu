// The count exceeds the block: nobody can complete this barrier.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  out[threadIdx.x] = 1;
  SYNC(1, 256); // expect: barrier-count deadlock
  out[threadIdx.x] += 1;
}

int main() {
  kernel<<<1, 128>>>(device_array<int>(128));
  return finish();
}
