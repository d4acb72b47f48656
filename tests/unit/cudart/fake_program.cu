// A real nvcc program, run on the fake engine: registration, parameter packing, streams, copies, symbols, errors.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("FAIL %s:%d %s\n", __FILE__, __LINE__, #condition);                                                  \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    const cudaError_t error_ = (call);                                                                                 \
    if (error_ != cudaSuccess) {                                                                                       \
      std::printf("FAIL %s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));                         \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

__device__ int table[8];
__constant__ float coefficients[4];
__managed__ int counter = 7;

__global__ void add_value(int* data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value + table[0] + (int)coefficients[0] + counter;
}
__global__ void wait_for_flag(volatile int* flag) {
  while (*flag == 0) {}
}
__global__ void fail() {}
struct Mixed {
  char c;
  double d;
  short s[3];
};
__global__ void mixed(char a, Mixed m, short b, void* p) {}

static void registration_and_launch() {
  std::vector<int> host(100, 1);
  int* device = nullptr;
  OK(cudaMalloc(&device, 400));
  OK(cudaMemcpy(device, host.data(), 400, cudaMemcpyHostToDevice));
  add_value<<<4, 32>>>(device, 100, 5);
  OK(cudaGetLastError());
  OK(cudaMemcpy(host.data(), device, 400, cudaMemcpyDeviceToHost));
  for (int v : host) CHECK(v == 6);
  OK(cudaFree(device));
  mixed<<<1, 1>>>(3, {}, 4, nullptr);
  OK(cudaDeviceSynchronize());
}

static void symbols() {
  const int values[3] = {4, 5, 6};
  int back[3] = {};
  OK(cudaMemcpyToSymbol(table, values, sizeof values, 8));
  OK(cudaMemcpyFromSymbol(back, table, sizeof back, 8));
  CHECK(std::memcmp(values, back, sizeof back) == 0);
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values, 24) == cudaErrorInvalidValue);
  size_t size = 0;
  void* address = nullptr;
  OK(cudaGetSymbolSize(&size, coefficients));
  CHECK(size == 16);
  OK(cudaGetSymbolAddress(&address, counter));
  CHECK(address == &counter);
  counter = 9;
  CHECK(counter == 9);
  cudaGetLastError();
}

// The host sets a flag which a kernel that is already running polls.
static void kernels_are_asynchronous() {
  int* flag = nullptr;
  int* data = nullptr;
  OK(cudaHostAlloc((void**)&flag, 4, cudaHostAllocMapped));
  *flag = 0;
  OK(cudaMalloc(&data, 4));
  OK(cudaMemset(data, 0, 4));
  cudaStream_t stream;
  cudaEvent_t event;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  wait_for_flag<<<1, 1, 0, stream>>>(flag);
  add_value<<<1, 1, 0, stream>>>(data, 1, 3);
  OK(cudaEventRecord(event, stream));
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  int value = -1;
  OK(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost)); // another stream: does not wait
  CHECK(value == 0);
  *flag = 1;
  OK(cudaEventSynchronize(event));
  OK(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
  CHECK(value == 3);
  OK(cudaStreamDestroy(stream));
  OK(cudaEventDestroy(event));
  OK(cudaFreeHost(flag));
  OK(cudaFree(data));
}

static void wrong_pointers() {
  int* device = nullptr;
  int host[4] = {};
  OK(cudaMalloc(&device, 16));
  CHECK(cudaMemcpy(device, device, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, device, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, host, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, nullptr, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, (void*)0x10, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaFree(host) == cudaErrorInvalidValue);
  CHECK(cudaFree(device + 1) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaGetLastError());
  OK(cudaMemcpy(device, host, 16, cudaMemcpyDefault));
  OK(cudaFree(device));
  CHECK(cudaFree(device) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device, host, 16, cudaMemcpyDefault) != cudaSuccess);
  cudaGetLastError();
}

static void configurations() {
  add_value<<<0, 32>>>(nullptr, 0, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  add_value<<<1, 2048>>>(nullptr, 0, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  add_value<<<1, 32, 64 << 10>>>(nullptr, 0, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(add_value, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  add_value<<<1, 32, 64 << 10>>>(nullptr, 0, 0);
  OK(cudaGetLastError());
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_value, 256, 0));
  CHECK(blocks == 8);
  cudaDeviceProp prop;
  OK(cudaGetDeviceProperties(&prop, 0));
  CHECK(prop.major == 8 && prop.warpSize == 32 && prop.multiProcessorCount == 4);
  OK(cudaDeviceSynchronize());
}

static void host_functions() {
  static std::vector<int> order;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const auto push = [](void* value) { order.push_back((int)(size_t)value); };
  OK(cudaLaunchHostFunc(stream, push, (void*)1));
  OK(cudaLaunchHostFunc(stream, push, (void*)2));
  OK(cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t status, void*) { order.push_back(status == cudaSuccess ? 3 : -3); }, nullptr, 0));
  OK(cudaStreamSynchronize(stream));
  CHECK((order == std::vector<int>{1, 2, 3}));
  OK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

static void sticky() {
  fail<<<1, 1>>>();
  OK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  void* p = nullptr;
  CHECK(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
}

int main() {
  symbols();
  registration_and_launch();
  kernels_are_asynchronous();
  wrong_pointers();
  configurations();
  host_functions();
  sticky();
  std::printf("PASS\n");
  return 0;
}
