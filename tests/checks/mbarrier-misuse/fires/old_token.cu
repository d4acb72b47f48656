// options: --arch sm_90
// Two phases complete while the first threads still hold the token of the first.
#include "../mbarrier.h"

__global__ void kernel(int* data) {
  OBJECT(object);
  if (threadIdx.x == 0) INIT(object, 32); // other: mbarrier-misuse
  __syncthreads();
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(object) : "memory");
  __syncthreads();
  WAIT_FOR_TOKEN(object, token); // expect: mbarrier-misuse
  data[threadIdx.x] = 1;
}

int main() {
  kernel<<<1, 64>>>(device_array<int>(64));
  return finish();
}
