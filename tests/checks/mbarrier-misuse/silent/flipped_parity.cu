// options: --arch sm_90
// The parity flips in every round.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 64);
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    ARRIVE_AT(object);
    WAIT(object, round & 1);
  }
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
