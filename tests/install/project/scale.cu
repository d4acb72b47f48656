#include <cstdio>
#include <cstdlib>

__global__ void scale(int* data, int factor) { data[threadIdx.x] = int(threadIdx.x) * factor; }

int main(int argc, char** argv) {
  const int factor = argc > 1 ? std::atoi(argv[1]) : 0;
  int *device = nullptr, host[64];
  if (cudaMalloc(&device, sizeof host) != cudaSuccess) return 1;
  scale<<<1, 64>>>(device, factor);
  if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(device);
  for (int i = 0; i < 64; ++i)
    if (factor == 0 || host[i] != i * factor) return 1;
  std::puts("scaled");
  return 0;
}
