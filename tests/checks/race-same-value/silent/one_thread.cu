// One thread sets the flag.
#include "../../check_case.h"

__global__ void mark(int* flag) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *flag = 1;
}

int main() {
  mark<<<4, 32>>>(device_array<int>(1));
  return finish();
}
