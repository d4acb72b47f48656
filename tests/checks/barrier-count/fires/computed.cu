// The count comes from an argument.
#include "../../check_case.h"

__global__ void kernel(int* out, int count) {
  out[threadIdx.x] = 1;
  SYNC(2, count); // expect: barrier-count
  out[threadIdx.x] += 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64), 33);
  return finish();
}
