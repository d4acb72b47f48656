// __device__ and __constant__ variables by symbol: copies with offsets, sizes, addresses, and initial values.
#include "check.h"

#include <cstring>

__device__ int table[16] = {1, 2, 3};
__constant__ float factors[4] = {0.5f, 1.5f, 2.5f, 3.5f};
static __device__ double hidden = 2.25;
__device__ int* pointer;

__global__ void use(float* out) {
  const int i = threadIdx.x;
  out[i] = table[i] * factors[i % 4] + static_cast<float>(hidden);
  table[i] += 100;
}
__global__ void through_pointer() { *pointer = 42; }

int main() {
  float* out = nullptr;
  float results[16];
  int values[16];
  OK(cudaMalloc(&out, sizeof results));
  use<<<1, 16>>>(out);
  OK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  CHECK(results[0] == 0.5f + 2.25f && results[1] == 3.0f + 2.25f && results[2] == 7.5f + 2.25f && results[3] == 2.25f);
  OK(cudaMemcpyFromSymbol(values, table, sizeof values));
  CHECK(values[0] == 101 && values[2] == 103 && values[15] == 100);

  const int part[2] = {-7, -8};
  OK(cudaMemcpyToSymbol(table, part, sizeof part, 4 * sizeof(int)));
  OK(cudaMemcpyFromSymbol(values, table, sizeof values));
  CHECK(values[3] == 100 && values[4] == -7 && values[5] == -8 && values[6] == 100);
  EXPECT(cudaMemcpyToSymbol(table, part, sizeof part, 15 * sizeof(int)), cudaErrorInvalidValue);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);

  const float ones[4] = {1, 1, 1, 1};
  const double zero = 0;
  OK(cudaMemcpyToSymbol(factors, ones, sizeof ones));
  OK(cudaMemcpyToSymbol(hidden, &zero, sizeof zero));
  use<<<1, 16>>>(out);
  OK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  CHECK(results[4] == -7.0f && results[0] == 101.0f);

  size_t size = 0;
  void* address = nullptr;
  OK(cudaGetSymbolSize(&size, factors));
  CHECK(size == sizeof factors);
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaMemcpy(values, address, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(values[0] == 201);
  OK(cudaMemcpyToSymbol(pointer, &address, sizeof address));
  through_pointer<<<1, 1>>>();
  OK(cudaMemcpyFromSymbol(values, table, sizeof(int)));
  CHECK(values[0] == 42);

  int not_a_symbol = 0;
  EXPECT(cudaGetSymbolSize(&size, not_a_symbol), cudaErrorInvalidSymbol);
  cudaGetLastError();
  OK(cudaFree(out));

  OK(cudaDeviceReset()); // the module is loaded anew
  OK(cudaMemcpyFromSymbol(values, table, sizeof values));
  CHECK(values[0] == 1 && values[2] == 3 && values[15] == 0);
  OK(cudaMemcpyFromSymbol(results, factors, sizeof ones));
  CHECK(results[0] == 0.5f && results[1] == 1.5f);
  return pass();
}
