// Errors that leave the device usable: last error, names, bad pointers, bad configurations.
#include "check.h"

#include <cstring>

__global__ void nothing(int* p) {}
__global__ void __launch_bounds__(64) bounded(int* p) {}
__global__ void big_shared(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}

static void last_error() {
  OK(cudaGetLastError());
  EXPECT(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  OK(cudaDeviceSynchronize()); // a success does not clear it
  EXPECT(cudaGetLastError(), cudaErrorInvalidDevice);
  OK(cudaGetLastError());
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
  CHECK(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
}

static void pointers() {
  int host[4] = {};
  int* device = nullptr;
  OK(cudaMalloc(&device, sizeof host));
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(nullptr, device, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, size_t{1} << 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, sizeof host, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT(cudaFree(host), cudaErrorInvalidValue);
  OK(cudaFree(nullptr));
  OK(cudaFree(device));
  EXPECT(cudaFree(device), cudaErrorInvalidValue);
  void* huge = &host;
  EXPECT(cudaMalloc(&huge, size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  void* none = &host;
  OK(cudaMalloc(&none, 0));
  CHECK(none == nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
}

// What CUDA 13 says; CUDA 12 said cudaErrorInvalidConfiguration for sizes.
static void configurations() {
  nothing<<<0, 32>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, 0>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, 1025>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, dim3(1, 1, 65)>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, dim3(32, 32, 2)>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<dim3(1, 65536), 1>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  bounded<<<1, 128>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, 1, 64 * 1024>>>(nullptr);
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  nothing<<<1, 1>>>(nullptr);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
}

static void opt_in_shared() {
  int* device = nullptr;
  int value = 0;
  OK(cudaMalloc(&device, 64 * sizeof(int)));
  EXPECT(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), cudaErrorInvalidValue);
  cudaGetLastError();
  OK(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  big_shared<<<1, 64, 64 * 1024>>>(device);
  OK(cudaGetLastError());
  OK(cudaMemcpy(&value, device + 63, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 1);
  OK(cudaFree(device));
  EXPECT(cudaFuncSetAttribute(reinterpret_cast<const void*>(&value), cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
         cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

int main() {
  last_error();
  pointers();
  configurations();
  opt_in_shared();
  return pass();
}
