// options: --arch sm_90
// The object is made for no thread.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 0); // expect: mbarrier-misuse
  __syncthreads();
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
