// Every way in which memory gets its values.
#include "../../check_case.h"

#include <vector>

template <typename T> T* raw(size_t count) {
  T* array = nullptr;
  if (cudaMalloc(&array, count * sizeof(T)) != cudaSuccess) std::exit(1);
  return array;
}

__device__ int variable[64];
__constant__ int constant[64];
__managed__ int managed_variable;

__global__ void add(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void write(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void variables(int* out) { out[threadIdx.x] = variable[threadIdx.x] + constant[threadIdx.x] + managed_variable; }
__global__ void update(int* sum) { atomicAdd(sum, 1); }
__global__ void exchange(int* last) { atomicExch(last, threadIdx.x); }
__global__ void by_value(int4 value, int* out) { out[threadIdx.x] = value.x + value.w; }

__global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(8 * sizeof(int)));
  if (mine == nullptr) return;
  mine[0] = 1;
  mine[1] = 2;
  out[threadIdx.x] = mine[0] + mine[1];
  free(mine);
}

int main() {
  int* out = device_array<int>(64);
  std::vector<int> host(64);

  int* copied = raw<int>(64);
  cudaMemcpy(copied, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(copied, out);
  int* again = raw<int>(64);
  cudaMemcpy(again, copied, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  add<<<1, 64>>>(again, out);
  int* rows = raw<int>(64);
  cudaMemcpy2D(rows, 32 * sizeof(int), host.data(), 32 * sizeof(int), 32 * sizeof(int), 2, cudaMemcpyHostToDevice);
  add<<<1, 64>>>(rows, out);
  int* cleared = raw<int>(64);
  cudaMemsetAsync(cleared, 0, 64 * sizeof(int));
  add<<<1, 64>>>(cleared, out);
  int* written = raw<int>(64);
  write<<<1, 64>>>(written);
  add<<<1, 64>>>(written, out);
  int* managed = nullptr;
  cudaMallocManaged(&managed, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) managed[i] = i;
  add<<<1, 64>>>(managed, out);
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) pinned[i] = i;
  add<<<1, 64>>>(pinned, out);
  cudaHostRegister(host.data(), 64 * sizeof(int), cudaHostRegisterDefault);
  int* registered = nullptr;
  cudaHostGetDevicePointer(&registered, host.data(), 0);
  add<<<1, 64>>>(registered, out);
  cudaMemcpyToSymbol(constant, copied, 64 * sizeof(int), 0, cudaMemcpyDeviceToDevice);
  variables<<<1, 64>>>(out);
  update<<<1, 64>>>(cleared);
  int* last = raw<int>(1);
  exchange<<<1, 64>>>(last);
  add<<<1, 1>>>(last, out);
  by_value<<<1, 32>>>(make_int4(1, 2, 3, 4), out);
  heap<<<1, 32>>>(out);
  return finish();
}
