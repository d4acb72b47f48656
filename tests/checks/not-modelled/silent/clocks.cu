// Clocks, timers and the number of the multiprocessor count as modelled.
#include "../../check_case.h"

__global__ void kernel(long long* out) {
  const long long start = clock64();
  unsigned processor;
  unsigned long long nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  __nanosleep(50);
  out[threadIdx.x] = clock64() - start + processor + static_cast<long long>(nanoseconds & 1);
}

int main() {
  kernel<<<1, 32>>>(device_array<long long>(32));
  return finish();
}
