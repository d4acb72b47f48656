// A kernel boundary orders everything in its stream.
#include "../../check_case.h"

__global__ void write(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void read(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[gridDim.x * blockDim.x - 1 - i];
}

int main() {
  int *data = device_array<int>(256), *out = device_array<int>(256);
  write<<<4, 64>>>(data);
  read<<<4, 64>>>(data, out);
  return finish();
}
