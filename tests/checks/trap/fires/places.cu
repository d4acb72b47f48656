#include "../../check_case.h"

__device__ void fail_if(bool wrong) {
  if (wrong) __trap(); // expect: trap
}
__global__ void in_function(int* out, int n) {
  fail_if(threadIdx.x == n);
  out[threadIdx.x] = 1;
}

__global__ void whole_block() {
  if (blockIdx.x == 1) __trap(); // expect: trap
}

__global__ void written_as_ptx(int n) {
  if (threadIdx.x > n) asm volatile("trap;"); // expect: trap
}

__global__ void in_switch(int* out, int n) {
  switch (n) {
  case 1: out[threadIdx.x] = 1; break;
  default: __trap(); // expect: trap
  }
}

__global__ void in_loop(const int* in, int n) {
  for (int i = 0; i < n; ++i)
    if (in[i] == 0) __trap(); // expect: trap
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { in_function<<<1, 32>>>(device_array<int>(32), 31); }, [] { whole_block<<<2, 32>>>(); },
                     [] { written_as_ptx<<<1, 32>>>(30); }, [] { in_switch<<<1, 32>>>(device_array<int>(32), 2); },
                     [] { in_loop<<<1, 1>>>(device_array<int>(4), 4); }});
}
