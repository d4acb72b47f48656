// A thread returns out of the loop in which the others go on meeting.
#include "../../check_case.h"

__global__ void kernel(int* out) {
  for (int i = 0; i < 4; ++i) {
    if (i == 2 && threadIdx.x == 5) return;
    out[threadIdx.x] += 1;
    __syncthreads(); // expect: barrier-early-exit
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
