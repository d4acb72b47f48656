// Every direction of cudaMemcpy, blocking and asynchronous, from pageable and pinned memory, and cudaMemset.
#include "check.h"

#include <cstring>
#include <vector>

constexpr int n = 1000;

__global__ void increment(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

static std::vector<int> numbers() {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

static void round_trip(cudaMemcpyKind in, cudaMemcpyKind out) {
  std::vector<int> host = numbers(), back(n, -1);
  int* device = nullptr;
  OK(cudaMalloc(&device, n * sizeof(int)));
  OK(cudaMemcpy(device, host.data(), n * sizeof(int), in));
  increment<<<(n + 255) / 256, 256>>>(device);
  OK(cudaGetLastError());
  OK(cudaMemcpy(back.data(), device, n * sizeof(int), out));
  for (int i = 0; i < n; ++i) CHECK(back[i] == i + 1);
  OK(cudaFree(device));
}

static void device_to_device() {
  std::vector<int> host = numbers(), back(n, -1);
  int *a = nullptr, *b = nullptr;
  OK(cudaMalloc(&a, n * sizeof(int)));
  OK(cudaMalloc(&b, n * sizeof(int)));
  OK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  increment<<<(n + 255) / 256, 256>>>(a);
  OK(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
  increment<<<(n + 255) / 256, 256>>>(b);
  OK(cudaMemcpy(back.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK(back[i] == i + 2);
  OK(cudaMemcpy(back.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK(back[i] == i + 1);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

// The source may be reused as soon as an asynchronous copy from pageable memory has returned.
static void pageable_async() {
  std::vector<int> host = numbers(), back(n, -1);
  int* device = nullptr;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&device, n * sizeof(int)));
  OK(cudaMemcpyAsync(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  std::memset(host.data(), 0xff, n * sizeof(int));
  increment<<<(n + 255) / 256, 256, 0, stream>>>(device);
  OK(cudaMemcpyAsync(back.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) CHECK(back[i] == i + 1);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(device));
}

static void pinned_async() {
  int *host = nullptr, *device = nullptr;
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMallocHost(&host, n * sizeof(int)));
  OK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) host[i] = 3 * i;
  OK(cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, stream));
  increment<<<(n + 255) / 256, 256, 0, stream>>>(device);
  OK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) CHECK(host[i] == 3 * i + 1);
  OK(cudaFreeHost(host));
  OK(cudaFree(device));
  OK(cudaStreamDestroy(stream));
}

static void memset_and_parts() {
  std::vector<int> back(n, -1);
  int* device = nullptr;
  OK(cudaMalloc(&device, n * sizeof(int)));
  OK(cudaMemset(device, 0, n * sizeof(int)));
  OK(cudaMemset(device + 10, 1, 5 * sizeof(int)));
  OK(cudaMemcpy(back.data() + 5, device + 5, 20 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const int expected = i < 5 || i >= 25 ? -1 : i >= 10 && i < 15 ? 0x01010101 : 0;
    CHECK(back[i] == expected);
  }
  OK(cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice));
  OK(cudaFree(device));
}

int main() {
  round_trip(cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost);
  round_trip(cudaMemcpyDefault, cudaMemcpyDefault);
  device_to_device();
  pageable_async();
  pinned_async();
  memset_and_parts();
  OK(cudaDeviceSynchronize());
  return pass();
}
