// The same value in elements of their own.
#include "../../check_case.h"

__global__ void mark(char* flags) { flags[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  mark<<<4, 33>>>(device_array<char>(4 * 33));
  return finish();
}
