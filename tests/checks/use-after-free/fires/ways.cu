#include "../../check_case.h"

#include <vector>

__global__ void read(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x]; // expect: use-after-free
}
__global__ void write(int* out) {
  out[threadIdx.x] = 1; // expect: use-after-free
}
__global__ void count(int* sum) {
  atomicAdd(sum, 1); // expect: use-after-free
}
__global__ void indirect(int** table, int* out) {
  out[threadIdx.x] = table[0][threadIdx.x]; // expect: use-after-free
}
__global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(64));
  mine[0] = 1;
  free(mine);
  out[threadIdx.x] = mine[0]; // expect: use-after-free
}
__global__ void stream_ordered(int* out) {
  out[threadIdx.x] = 1; // expect: use-after-free
}
__global__ void managed(int* out) {
  out[threadIdx.x] = 1; // expect: use-after-free
}

template <typename T> T* freed(size_t count) {
  T* array = device_array<T>(count);
  cudaFree(array);
  return array;
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { read<<<1, 32>>>(freed<int>(64), device_array<int>(32)); },
                     [] { write<<<1, 32>>>(freed<int>(64) + 32); }, [] { count<<<1, 32>>>(freed<int>(1)); },
                     [] {
                       int* inner = device_array<int>(32);
                       int** table = device_array<int*>(1);
                       cudaMemcpy(table, &inner, sizeof inner, cudaMemcpyHostToDevice);
                       cudaFree(inner);
                       indirect<<<1, 32>>>(table, device_array<int>(32));
                     },
                     [] { heap<<<1, 32>>>(device_array<int>(32)); },
                     [] {
                       int* array = nullptr;
                       cudaMallocAsync(&array, 128, 0);
                       cudaFreeAsync(array, 0);
                       stream_ordered<<<1, 32>>>(array);
                     },
                     [] {
                       int* array = nullptr;
                       cudaMallocManaged(&array, 128);
                       cudaFree(array);
                       managed<<<1, 32>>>(array);
                     }});
}
