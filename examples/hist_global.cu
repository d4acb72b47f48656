// The histogram before privatisation: one global atomic for each byte.
//
// Shows: the right answer at the highest price. Every update goes to the same 256 words in global memory, whatever
// block it comes from. Compare the time with the second kernel, which is hist256.cu's.
//
// Usage:  hist_global [MEBIBYTES]   (default 4)
// Prints: the time of both kernels, then "both histograms are right".
#include "cuda_check.h"

#include <vector>

__global__ void hist_global(const unsigned char* data, int N, int* g) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) atomicAdd(&g[data[i]], 1);
}

__global__ void hist_private(const unsigned char* data, int N, int* g) {
  __shared__ int h[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) atomicAdd(&h[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&g[i], h[i]);
}

using Kernel = void (*)(const unsigned char*, int, int*);

static bool run(const char* name, Kernel kernel, const unsigned char* data, int n, const std::vector<int>& expected) {
  int* bins = nullptr;
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaMalloc(&bins, 256 * sizeof(int)));
  CUDA_CHECK(cudaMemset(bins, 0, 256 * sizeof(int)));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  kernel<<<256, 256>>>(data, n, bins);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  std::vector<int> counts(256);
  CUDA_CHECK(cudaMemcpy(counts.data(), bins, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(bins));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  std::printf("%-16s %9.3f ms\n", name, ms);
  return counts == expected;
}

int main(int argc, char** argv) {
  const int mebibytes = argc > 1 ? std::atoi(argv[1]) : 4;
  if (mebibytes < 1 || mebibytes > 1024) {
    std::fprintf(stderr, "usage: %s [MEBIBYTES]   from 1 to 1024\n", argv[0]);
    return 2;
  }
  std::vector<unsigned char> bytes(static_cast<size_t>(mebibytes) << 20);
  std::vector<int> expected(256);
  unsigned state = 1;
  for (unsigned char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(state >> 24);
    ++expected[byte];
  }
  unsigned char* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, bytes.size()));
  CUDA_CHECK(cudaMemcpy(data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  const int n = static_cast<int>(bytes.size());
  const bool right = run("global atomics", hist_global, data, n, expected) & run("privatised", hist_private, data, n, expected);
  CUDA_CHECK(cudaFree(data));
  std::printf(right ? "both histograms are right\n" : "WRONG counts\n");
  return right ? 0 : 1;
}
