#include "../../check_case.h"

#include <vector>

static int global_array[64];

__global__ void write(int* out) {
  out[threadIdx.x] = 1; // expect: host-pointer
}
__global__ void count(int* sum) {
  atomicAdd(sum, 1); // expect: host-pointer
}
struct Arguments {
  const int* in;
  int* out;
};
__global__ void by_value(Arguments a) {
  a.out[threadIdx.x] = a.in[threadIdx.x]; // expect: host-pointer
}
__device__ int* table[2];
__global__ void variable(int* out) {
  out[threadIdx.x] = table[1][threadIdx.x]; // expect: host-pointer
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { write<<<1, 32>>>(global_array); },
                     [] { count<<<1, 32>>>(new int(0)); },
                     [] { by_value<<<1, 32>>>({new int[32](), device_array<int>(32)}); },
                     [] {
                       int* pointers[2] = {device_array<int>(32), new int[32]()};
                       cudaMemcpyToSymbol(table, pointers, sizeof pointers);
                       variable<<<1, 32>>>(device_array<int>(32));
                     }});
}
