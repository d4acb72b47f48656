// All lanes call; the mask names half of them.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  const unsigned all = __ballot_sync(0x0000ffffu, lane % 3 == 0); // expect: warp-mask
  if (lane < 16) data[lane] = all;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
