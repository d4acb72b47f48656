// options: --arch sm_90
// One thread initialises the object before all use it.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  data[threadIdx.x] = 0;
  if (threadIdx.x == 0) INIT(object, 64);
  __syncthreads();
  ARRIVE_AT(object);
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
