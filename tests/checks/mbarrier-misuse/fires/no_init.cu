// options: --arch sm_90
// Nobody initialises the object.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  data[threadIdx.x] = 0;
  __syncthreads();
  ARRIVE_AT(object); // expect: mbarrier-misuse
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
