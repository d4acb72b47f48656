// WRONG on purpose: a barrier inside a condition that is not the same for all threads of the block.
//
// Shows: threads 0 to 99 wait at a barrier that threads 100 to 255 never reach. On a GPU this may hang, or pass by
// accident, or give a wrong answer: the CUDA guide leaves it undefined. guarded_barrier_fixed.cu is the repair.
//
// Prints: nothing you may rely on. `tollgate check` reports barrier-divergent at the line of __syncthreads().
#include "cuda_check.h"

// out[i] = in[i] + the next element, for the first n elements.
__global__ void add_neighbour(const int* in, int* out, int n) {
  __shared__ int tile[256];
  if (threadIdx.x < n) {
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); // only the threads below n come here
    out[threadIdx.x] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % n];
  }
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
