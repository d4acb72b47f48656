// The mask misses the lanes with an odd index.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  data[lane] = __match_any_sync(0x55555555u, lane % 4); // expect: warp-mask
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
