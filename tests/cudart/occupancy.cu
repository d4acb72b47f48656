// Occupancy and the attributes of kernels and of the device.
#include "check.h"

#include <cstring>

__global__ void plain(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) bounded(int* p) { p[threadIdx.x] = 2; }
__global__ void with_shared(int* p) {
  __shared__ int s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[1023 - threadIdx.x];
}

int main() {
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, plain));
  CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0 && attributes.numRegs > 0);
  OK(cudaFuncGetAttributes(&attributes, bounded));
  CHECK(attributes.maxThreadsPerBlock == 128);
  OK(cudaFuncGetAttributes(&attributes, with_shared));
  CHECK(attributes.sharedSizeBytes == 4096 && attributes.maxDynamicSharedSizeBytes == 48 * 1024 - 4096);

  int blocks = 0, minimum = 0, best = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  CHECK(blocks >= 1 && blocks <= 32);
  OK(cudaOccupancyMaxPotentialBlockSize(&minimum, &best, plain));
  CHECK(minimum >= 1 && best >= 32 && best <= 1024 && best % 32 == 0);
  OK(cudaOccupancyMaxPotentialBlockSize(&minimum, &best, bounded));
  CHECK(best <= 128);

  cudaDeviceProp prop;
  int count = 0, device = -1, value = 0;
  OK(cudaGetDeviceCount(&count));
  CHECK(count >= 1);
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&device));
  CHECK(device == 0);
  EXPECT(cudaSetDevice(count), cudaErrorInvalidDevice);
  cudaGetLastError();
  OK(cudaGetDeviceProperties(&prop, 0));
  CHECK(prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024 && prop.major >= 8 && prop.multiProcessorCount >= 1);
  CHECK(std::strlen(prop.name) > 0 && prop.totalGlobalMem > (size_t{1} << 28) && prop.sharedMemPerBlock == 49152);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == prop.multiProcessorCount);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  CHECK(value == prop.major);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(static_cast<size_t>(value) == prop.sharedMemPerBlockOptin);
  size_t free_bytes = 0, total = 0;
  OK(cudaMemGetInfo(&free_bytes, &total));
  CHECK(free_bytes > 0 && free_bytes <= total);
  size_t heap = 0;
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
  OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  CHECK(heap == 32 << 20);
  return pass();
}
