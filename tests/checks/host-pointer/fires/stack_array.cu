// The address of a local array of the host.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  data[threadIdx.x] = 1; // expect: host-pointer
}

int main() {
  int data[32] = {};
  kernel<<<1, 32>>>(data);
  return finish();
}
