// What contention costs: the same number of atomic updates on one address, on 32, and on one for each thread.
//
// Shows: updates of one address queue up; updates of different addresses need not. The last two rows do the same in
// shared memory, which a GPU handles inside the multiprocessor.
//
// Prints: five rows with a time each, then "every sum is right". The times are the device's, so they differ.
#include "cuda_check.h"

#include <vector>

constexpr int BLOCKS = 64, THREADS = 256, REPEAT = 16;

// Thread i updates word i % spread, REPEAT times.
__global__ void global_updates(unsigned* words, int spread) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < REPEAT; ++k) atomicAdd(&words[id % spread], 1u);
}

__global__ void shared_updates(unsigned* words, int spread) {
  __shared__ unsigned local[THREADS];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < REPEAT; ++k) atomicAdd(&local[threadIdx.x % spread], 1u);
  __syncthreads();
  if (local[threadIdx.x]) atomicAdd(&words[threadIdx.x], local[threadIdx.x]);
}

static bool measure(const char* name, void (*kernel)(unsigned*, int), int spread) {
  std::vector<unsigned> words(BLOCKS * THREADS);
  unsigned* device = nullptr;
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaMalloc(&device, words.size() * sizeof(unsigned)));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; ++run) { // the first run warms up
    CUDA_CHECK(cudaMemset(device, 0, words.size() * sizeof(unsigned)));
    CUDA_CHECK(cudaEventRecord(start));
    kernel<<<BLOCKS, THREADS>>>(device, spread);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  }
  CUDA_CHECK(cudaMemcpy(words.data(), device, words.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  std::printf("%-28s %9.4f ms\n", name, ms);
  const unsigned each = BLOCKS * THREADS * REPEAT / spread;
  for (int i = 0; i < BLOCKS * THREADS; ++i)
    if (words[i] != (i < spread ? each : 0)) return false;
  return true;
}

int main() {
  bool right = measure("global, one address", global_updates, 1);
  right &= measure("global, 32 addresses", global_updates, 32);
  right &= measure("global, one for each thread", global_updates, BLOCKS * THREADS);
  right &= measure("shared, one address", shared_updates, 1);
  right &= measure("shared, one for each thread", shared_updates, THREADS);
  std::printf(right ? "every sum is right\n" : "WRONG sum\n");
  return right ? 0 : 1;
}
