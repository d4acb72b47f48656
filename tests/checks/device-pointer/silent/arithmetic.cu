// A device pointer is a number to the host: only what it points to is not there.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 32>>>(data + 32);
  finish();
  return &data[64] - data == 64 ? 0 : 1;
}
