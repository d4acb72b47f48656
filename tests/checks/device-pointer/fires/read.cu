// The host reads what the kernel wrote.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  finish();
  return data[3]; // expect: device-pointer
}
