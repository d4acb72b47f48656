// The same with atomicExch.
#include "../../check_case.h"

__global__ void mark(int* flag) { atomicExch(flag, 1); }

int main() {
  mark<<<4, 32>>>(device_array<int>(1));
  return finish();
}
