// options: --arch sm_90
// Every round initialises the object again.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0) INIT(object, 64); // expect: mbarrier-misuse
    __syncthreads();
    ARRIVE_AT(object);
    WAIT(object, 0);
    __syncthreads();
  }
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
