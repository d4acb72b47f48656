// Thread 0 of each block sets the same flag.
#include "../../check_case.h"

__global__ void mark(int* flag) {
  if (threadIdx.x == 0) *flag = 7;       // other: race-same-value
}

int main() {
  mark<<<4, 32>>>(device_array<int>(1));
  return finish();
}
