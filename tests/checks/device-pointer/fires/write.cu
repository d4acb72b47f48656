// The host fills an array of the device.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  for (int i = 0; i < 64; ++i) data[i] = i; // expect: device-pointer
  kernel<<<1, 64>>>(data);
  return finish();
}
