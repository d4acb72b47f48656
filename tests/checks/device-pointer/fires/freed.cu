// Device memory, after it was freed.
#include "../../check_case.h"

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  finish();
  if (cudaFree(data) != cudaSuccess) return 1;
  return data[0]; // expect: device-pointer
}
