// Nobody sets the flag, but each wait has a limit: of time, by every clock there is, or of rounds.
#include "../../check_case.h"

__device__ unsigned long long global_timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait(volatile int* flag, int* out) {
  const long long cycles = clock64();
  while (*flag == 0 && clock64() - cycles < 3000000000ll) {}
  const unsigned low = clock();
  while (*flag == 0 && clock() - low < 2000000000u) __nanosleep(100);
  const unsigned long long nanoseconds = global_timer();
  while (*flag == 0 && global_timer() - nanoseconds < 100000000000ull) __nanosleep(1000000);
  int rounds = 0;
  while (*flag == 0 && ++rounds < 100000) {}
  out[blockIdx.x * blockDim.x + threadIdx.x] = rounds;
}

int main() {
  wait<<<2, 64>>>(device_array<int>(1), device_array<int>(128));
  return finish();
}
