// options: --arch sm_90
// Half of the threads that the object counts arrive.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 64); // other: mbarrier-misuse
  __syncthreads();
  if (threadIdx.x < 32) ARRIVE_AT(object);
  WAIT(object, 0); // expect: mbarrier-misuse
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
