// Launch shapes and memory spaces: partial warps, large blocks, three dimensions, dynamic shared and constant memory.
#include "conformance.h"

__global__ void reverse(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = blockIdx.x * 10000 + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

static bool reverse_holds(int blocks, int threads) {
  Buffer<int> out(blocks * threads);
  reverse<<<blocks, threads, threads * sizeof(int)>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < blocks * threads; ++i) EXPECT(values[i] == i / threads * 10000 + threads - 1 - i % threads);
  return true;
}

CASE(partial_warps, "blocks of 1, 33 and 1000 threads") {
  return reverse_holds(3, 1) && reverse_holds(5, 33) && reverse_holds(3, 1000);
}

CASE(largest_block, "blocks of 1024 threads") { return reverse_holds(4, 1024); }

__global__ void three_dimensions(int* out, dim3 expected_grid, dim3 expected_block, int* errors) {
  if (gridDim.x != expected_grid.x || gridDim.y != expected_grid.y || gridDim.z != expected_grid.z ||
      blockDim.x != expected_block.x || blockDim.y != expected_block.y || blockDim.z != expected_block.z)
    atomicAdd(errors, 1);
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  atomicAdd(&out[block * blockDim.x * blockDim.y * blockDim.z + thread], block + 1);
  // Warps are made of consecutive threads of this numbering.
  if (__shfl_sync(__activemask(), thread / 32, 0) != thread / 32) atomicAdd(errors, 1);
}

CASE(three_dimensional_grids, "3-D grids and blocks") {
  const dim3 grid(3, 4, 5), block(6, 5, 3);
  Buffer<int> out(60 * 90), errors(1);
  three_dimensions<<<grid, block>>>(out.device(), grid, block, errors.device());
  FINISH();
  EXPECT(errors.fetch()[0] == 0);
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 60 * 90; ++i) EXPECT(values[i] == i / 90 + 1);
  return true;
}

__global__ void much_shared(unsigned* out, int words) {
  extern __shared__ unsigned large[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) large[i] = i * 2654435761u;
  __syncthreads();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum += large[words - 1 - i];
  atomicAdd(out, sum);
}

CASE(large_dynamic_shared, "96 KB of dynamic shared memory, asked for with cudaFuncSetAttribute") {
  constexpr int bytes = 96 * 1024, words = bytes / 4;
  Buffer<unsigned> out(1);
  CUDA(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  much_shared<<<1, 256, bytes>>>(out.device(), words);
  FINISH();
  unsigned expected = 0;
  for (unsigned i = 0; i < words; ++i) expected += i * 2654435761u;
  EXPECT(out.fetch()[0] == expected);
  return true;
}

__constant__ int table[64];
__constant__ float initialised[4] = {1.0f, 2.5f, -3.0f, 1e20f};
__device__ int counter = 5;
__device__ int pointed_to[3] = {7, 8, 9};
__device__ int* pointer_to = &pointed_to[1];

__global__ void constants(int* out, int* errors) {
  out[threadIdx.x] = table[63 - threadIdx.x] + table[threadIdx.x / 32];
  if (initialised[threadIdx.x % 4] != (threadIdx.x % 4 == 0   ? 1.0f
                                       : threadIdx.x % 4 == 1 ? 2.5f
                                       : threadIdx.x % 4 == 2 ? -3.0f
                                                              : 1e20f))
    atomicAdd(errors, 1);
  if (*pointer_to != 8) atomicAdd(errors, 1);
  atomicAdd(&counter, 1);
}

CASE(constant_and_device_variables, "constant memory and device variables, set and read by symbol") {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = i * i;
  CUDA(cudaMemcpyToSymbol(table, values, sizeof values));
  int start = 100, end = 0;
  CUDA(cudaMemcpyFromSymbol(&end, counter, sizeof end));
  EXPECT(end == 5);
  CUDA(cudaMemcpyToSymbol(counter, &start, sizeof start));
  Buffer<int> out(64), errors(1);
  constants<<<1, 64>>>(out.device(), errors.device());
  FINISH();
  CUDA(cudaMemcpyFromSymbol(&end, counter, sizeof end));
  EXPECT(end == 164 && errors.fetch()[0] == 0);
  const std::vector<int>& got = out.fetch();
  for (int i = 0; i < 64; ++i) EXPECT(got[i] == (63 - i) * (63 - i) + (i / 32) * (i / 32));
  return true;
}

__managed__ int managed_word = 3;

__global__ void add_to_managed(int* words) {
  words[threadIdx.x] += managed_word;
  if (threadIdx.x == 0) managed_word = 50;
}

CASE(managed_memory, "managed variables and cudaMallocManaged") {
  int* words = nullptr;
  CUDA(cudaMallocManaged(&words, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) words[i] = i;
  managed_word = 4;
  add_to_managed<<<1, 32>>>(words);
  FINISH();
  for (int i = 0; i < 32; ++i) EXPECT(words[i] == i + 4);
  EXPECT(managed_word == 50);
  CUDA(cudaFree(words));
  return true;
}
