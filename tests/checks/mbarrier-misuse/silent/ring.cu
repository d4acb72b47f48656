// options: --arch sm_90
// Producer and consumer: the first wait of the producer asks for the phase before the first, on purpose.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(full);
  OBJECT(empty);
  __shared__ int slot[32];
  if (threadIdx.x == 0) {
    INIT(full, 32);
    INIT(empty, 32);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      WAIT(empty, (round & 1) ^ 1);
      slot[lane] = round;
      ARRIVE_AT(full);
    } else {
      WAIT(full, round & 1);
      data[lane] += slot[31 - lane];
      ARRIVE_AT(empty);
    }
  }
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
