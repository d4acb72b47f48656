// The repair of guarded_barrier.cu: the work is conditional, the barrier is not.
//
// Shows: the condition is split in two around the barrier, so that all 256 threads of the block reach it.
//
// Prints: "every element is right". `tollgate check` finds nothing.
#include "cuda_check.h"

// out[i] = in[i] + the next element, for the first n elements.
__global__ void add_neighbour(const int* in, int* out, int n) {
  __shared__ int tile[256];
  if (threadIdx.x < n) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads(); // every thread comes here
  if (threadIdx.x < n) out[threadIdx.x] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % n];
}

int main() {
  constexpr int threads = 256, n = 100;
  int host[threads];
  for (int i = 0; i < threads; ++i) host[i] = i;
  int *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, sizeof host));
  CUDA_CHECK(cudaMalloc(&out, sizeof host));
  CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  add_neighbour<<<1, threads>>>(in, out, n);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(host, out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (host[i] != i + (i + 1) % n) {
      std::printf("element %d is WRONG: %d\n", i, host[i]);
      return 1;
    }
  std::printf("every element is right\n");
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return 0;
}
