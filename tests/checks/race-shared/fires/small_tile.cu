// Tiles of 8 meet, and each lane reads from the neighbouring tile.
#include "../../check_case.h"
#include <cooperative_groups.h>

__global__ void reverse(int* out) {
  __shared__ int slot[64];
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  slot[threadIdx.x] = threadIdx.x; // other: race-shared
  tile.sync();
  out[threadIdx.x] = slot[threadIdx.x ^ 15]; // other: race-shared
}

int main() {
  reverse<<<1, 64>>>(device_array<int>(64));
  return finish();
}
