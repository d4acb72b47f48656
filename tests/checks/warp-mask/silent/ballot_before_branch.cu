// The mask comes from a ballot of all.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffffu, lane < 16);
  if (lane < 16)
    data[lane] = __shfl_xor_sync(mask, lane, 1);
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
