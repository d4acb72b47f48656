#include "../../check_case.h"

#include <vector>

__global__ void write(int* out) { out[threadIdx.x] = 1; }
struct Arguments {
  const int* in;
  int* out;
};
__global__ void by_value(Arguments a) { a.out[threadIdx.x] = a.in[threadIdx.x]; }
__global__ void passed_on(int* host, int** out) { out[threadIdx.x] = host + 1; } // never followed
__device__ int array[32];

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  write<<<1, 32>>>(pinned);
  by_value<<<1, 32>>>({device_array<int>(32), device_array<int>(32)});
  std::vector<int> host(32);
  passed_on<<<1, 1>>>(host.data(), device_array<int*>(1));
  void* symbol = nullptr;
  cudaGetSymbolAddress(&symbol, array);
  write<<<1, 32>>>(static_cast<int*>(symbol));
  cudaMemcpy(host.data(), symbol, 32 * sizeof(int), cudaMemcpyDefault);
  return finish();
}
