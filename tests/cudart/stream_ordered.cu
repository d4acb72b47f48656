// cudaMallocAsync and cudaFreeAsync, memory pools, and hints that change nothing.
#include "check.h"

__global__ void fill(int* p, int value) { p[threadIdx.x] = value; }

int main() {
  cudaStream_t stream;
  cudaMemPool_t pool = nullptr;
  int *p = nullptr, host[32];
  unsigned long long threshold = 1 << 20, back = 0;
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &back));
  CHECK(back == threshold);
  for (int round = 0; round < 3; ++round) {
    OK(cudaMallocAsync(&p, sizeof host, stream));
    fill<<<1, 32, 0, stream>>>(p, round);
    OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(p, stream));
    OK(cudaStreamSynchronize(stream));
    for (int v : host) CHECK(v == round);
  }
  int least = 0, greatest = 0;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(greatest <= least);
  OK(cudaStreamDestroy(stream));
  return pass();
}
