// Every element of the array, first and last included, in accesses of 1, 4 and 16 bytes.
#include "../../check_case.h"

__global__ void kernel(int4* words, unsigned char* bytes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[i] = make_int4(i, i, i, i);
  if (i < n * 16 + 3) bytes[i] = 1;
}

int main() {
  kernel<<<14, 64>>>(device_array<int4>(50), device_array<unsigned char>(50 * 16 + 3), 50);
  return finish();
}
