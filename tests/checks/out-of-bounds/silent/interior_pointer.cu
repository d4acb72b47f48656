// A pointer into the middle of an array may look back.
#include "../../check_case.h"

__global__ void kernel(int* middle) { middle[static_cast<int>(threadIdx.x) - 32] = threadIdx.x; }

int main() {
  kernel<<<1, 64>>>(device_array<int>(64) + 32);
  return finish();
}
