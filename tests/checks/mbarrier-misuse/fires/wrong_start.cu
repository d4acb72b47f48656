// options: --arch sm_90
// The first wait asks for the phase before the first.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 64);
  __syncthreads();
  ARRIVE_AT(object);
  WAIT(object, 1); // expect: mbarrier-misuse
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
