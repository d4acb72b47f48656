// options: --arch sm_90
// The object is used after it was invalidated.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 64);
  __syncthreads();
  if (threadIdx.x == 0) INVAL(object);
  __syncthreads();
  ARRIVE_AT(object); // expect: mbarrier-misuse
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
