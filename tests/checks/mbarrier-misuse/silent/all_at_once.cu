// options: --arch sm_90
// One thread arrives for all but one.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 64);
  __syncthreads();
  if (threadIdx.x == 0) {
    ARRIVE_TIMES(object, 63);
    ARRIVE_AT(object);
  }
  WAIT(object, 0);
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
