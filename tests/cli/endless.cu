// endless memory|compute: a kernel that never ends, in a loop that polls memory or in one that only computes.
#include <cstdio>
#include <cstring>

// The count keeps it from going round in a circle, which would be found out.
__global__ void poll(volatile int* flag) {
  unsigned long long rounds = 0;
  while (*flag == 0) ++rounds;
  *flag = int(rounds);
}

__global__ void compute(int* out) {
  unsigned x = threadIdx.x + 1;
  while (x != 0) x = x * 1664525u + 1013904223u | 1u;
  *out = int(x);
}

int main(int argc, char** argv) {
  int* flag = nullptr;
  if (argc != 2 || cudaMalloc(&flag, sizeof *flag) != cudaSuccess || cudaMemset(flag, 0, sizeof *flag) != cudaSuccess) return 2;
  if (std::strcmp(argv[1], "memory") == 0)
    poll<<<4, 64>>>(flag);
  else
    compute<<<4, 64>>>(flag);
  std::puts("launched");
  std::fflush(stdout);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
