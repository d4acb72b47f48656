// Pinned, mapped and registered host memory, and a kernel that waits for a flag which the host sets while it runs.
#include "check.h"

#include <cstdlib>
#include <vector>

__global__ void double_all(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

__global__ void ping_pong(volatile int* flag, volatile int* answer) {
  while (*flag == 0) {}
  *answer = 2 * *flag;
  __threadfence_system();
}

static void mapped() {
  constexpr int n = 300;
  int *in = nullptr, *out = nullptr, *device_in = nullptr;
  OK(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped));
  OK(cudaMallocHost(&out, n * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i;
  OK(cudaHostGetDevicePointer(&device_in, in, 0));
  double_all<<<3, 128>>>(device_in, out, n); // under unified addressing the host address serves as well
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) CHECK(out[i] == 2 * i);

  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, in));
  CHECK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == in);
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, in));
  CHECK((flags & cudaHostAllocMapped) != 0);
  OK(cudaFreeHost(in));
  OK(cudaFreeHost(out));
}

static void registered() {
  constexpr int n = 4096;
  auto* host = static_cast<int*>(std::aligned_alloc(4096, n * sizeof(int)));
  int *device = nullptr, *out = nullptr;
  for (int i = 0; i < n; ++i) host[i] = i;
  OK(cudaHostRegister(host, n * sizeof(int), cudaHostRegisterMapped));
  EXPECT(cudaHostRegister(host, n * sizeof(int), cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
  cudaGetLastError();
  OK(cudaHostGetDevicePointer(&device, host, 0));
  OK(cudaMalloc(&out, n * sizeof(int)));
  double_all<<<n / 256, 256>>>(device, out, n);
  std::vector<int> back(n);
  OK(cudaMemcpy(back.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK(back[i] == 2 * i);
  OK(cudaHostUnregister(host));
  EXPECT(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
  OK(cudaFree(out));
  std::free(host);
}

static void flag_from_host() {
  int* shared = nullptr;
  OK(cudaHostAlloc(&shared, 2 * sizeof(int), cudaHostAllocMapped));
  shared[0] = shared[1] = 0;
  ping_pong<<<1, 1>>>(shared, shared + 1);
  OK(cudaGetLastError());
  *static_cast<volatile int*>(shared) = 21;
  OK(cudaDeviceSynchronize());
  CHECK(shared[1] == 42);
  OK(cudaFreeHost(shared));
}

int main() {
  mapped();
  registered();
  flag_from_host();
  return pass();
}
