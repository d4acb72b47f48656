// memcpy instead of cudaMemcpy.
#include "../../check_case.h"

#include <cstring>

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  finish();
  volatile char* from = reinterpret_cast<char*>(data);
  char host[64];
  for (int i = 0; i < 64; ++i) host[i] = from[i]; // expect: device-pointer
  return host[5];
}
