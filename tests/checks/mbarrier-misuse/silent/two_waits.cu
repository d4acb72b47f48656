// options: --arch sm_90
// A thread waits twice for one phase and does not arrive in between.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 32);
  __syncthreads();
  if (threadIdx.x < 32) ARRIVE_AT(object);
  WAIT(object, 0);
  data[threadIdx.x] = 1;
  WAIT(object, 0);
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
