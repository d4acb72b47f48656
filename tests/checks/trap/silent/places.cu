#include "../../check_case.h"

__device__ void fail_if(bool wrong) {
  if (wrong) __trap();
}
__global__ void in_function(int* out, int n) {
  fail_if(threadIdx.x == n);
  out[threadIdx.x] = 1;
}

__global__ void whole_block() {
  if (blockIdx.x == 2) __trap();
}

__global__ void written_as_ptx(int n) {
  if (threadIdx.x > n) asm volatile("trap;");
}

__global__ void in_switch(int* out, int n) {
  switch (n) {
  case 1: out[threadIdx.x] = 1; break;
  default: __trap();
  }
}

__global__ void breakpoint() { asm volatile("brkpt;"); }

int main() {
  in_function<<<1, 32>>>(device_array<int>(32), 32);
  whole_block<<<2, 32>>>();
  written_as_ptx<<<1, 32>>>(31);
  in_switch<<<1, 32>>>(device_array<int>(32), 1);
  breakpoint<<<1, 32>>>();
  return finish();
}
