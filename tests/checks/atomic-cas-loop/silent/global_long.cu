// 64-bit integers in global memory.
#include "../../check_case.h"

using unsigned_long = unsigned long long;

__global__ void kernel(unsigned_long* data) {
  atomicMax(data, unsigned_long(1)); 
}

int main() {
  kernel<<<1, 32>>>(device_array<unsigned_long>(64));
  return finish();
}
