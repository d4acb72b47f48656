// The pointer is dereferenced in an argument.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  finish();
  std::printf("%d\n", *data); // expect: device-pointer
  return 0;
}
