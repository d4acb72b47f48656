// Order within streams, between streams through events, and of the legacy default stream; callbacks; elapsed time.
#include "check.h"

#include <vector>

__global__ void append(int* list, int* count, int value) { list[(*count)++] = value; }
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {}
}

struct List {
  int *items = nullptr, *count = nullptr;
  List() {
    OK(cudaMalloc(&items, 64 * sizeof(int)));
    OK(cudaMalloc(&count, sizeof(int)));
    OK(cudaMemset(count, 0, sizeof(int)));
    OK(cudaDeviceSynchronize());
  }
  ~List() {
    OK(cudaFree(items));
    OK(cudaFree(count));
  }
  std::vector<int> read() const {
    int n = 0;
    OK(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
    std::vector<int> result(n);
    OK(cudaMemcpy(result.data(), items, n * sizeof(int), cudaMemcpyDeviceToHost));
    return result;
  }
};

static int* new_flag() {
  int* flag = nullptr;
  OK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  return flag;
}

static void set(int* flag) { *static_cast<volatile int*>(flag) = 1; }

// Work in a blocking stream holds up the legacy stream, and the other way round.
static void legacy_default_stream() {
  List list;
  int* flag = new_flag();
  cudaStream_t a, b;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  wait_for<<<1, 1, 0, a>>>(flag);
  append<<<1, 1, 0, a>>>(list.items, list.count, 1);
  append<<<1, 1>>>(list.items, list.count, 2);
  append<<<1, 1, 0, b>>>(list.items, list.count, 3);
  EXPECT(cudaStreamQuery(b), cudaErrorNotReady);
  set(flag);
  CHECK((list.read() == std::vector<int>{1, 2, 3}));
  OK(cudaStreamQuery(a));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaFreeHost(flag));
}

static void events_order_streams() {
  List list;
  int* flag = new_flag();
  cudaStream_t a, b;
  cudaEvent_t event;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  OK(cudaEventQuery(event)); // never recorded: nothing to wait for
  wait_for<<<1, 1, 0, a>>>(flag);
  append<<<1, 1, 0, a>>>(list.items, list.count, 1);
  OK(cudaEventRecord(event, a));
  OK(cudaStreamWaitEvent(b, event, 0));
  append<<<1, 1, 0, b>>>(list.items, list.count, 2);
  EXPECT(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT(cudaStreamQuery(b), cudaErrorNotReady);
  set(flag);
  OK(cudaStreamSynchronize(b));
  OK(cudaEventQuery(event));
  CHECK((list.read() == std::vector<int>{1, 2}));
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaFreeHost(flag));
}

static void callbacks() {
  static std::vector<int> order;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const auto push = [](void* value) { order.push_back(static_cast<int>(reinterpret_cast<size_t>(value))); };
  OK(cudaLaunchHostFunc(stream, push, reinterpret_cast<void*>(1)));
  const auto callback = [](cudaStream_t, cudaError_t status, void*) { order.push_back(status == cudaSuccess ? 2 : -2); };
  OK(cudaStreamAddCallback(stream, callback, nullptr, 0));
  OK(cudaLaunchHostFunc(stream, push, reinterpret_cast<void*>(3)));
  OK(cudaStreamSynchronize(stream));
  CHECK((order == std::vector<int>{1, 2, 3}));
  OK(cudaStreamDestroy(stream));
}

static void elapsed_time() {
  List list;
  cudaEvent_t start, end;
  float ms = -1;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  EXPECT(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle); // not recorded
  cudaGetLastError();
  OK(cudaEventRecord(start));
  append<<<1, 1>>>(list.items, list.count, 1);
  OK(cudaEventRecord(end));
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&ms, start, end));
  CHECK(ms >= 0 && ms < 60000);
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(end));
}

int main() {
  legacy_default_stream();
  events_order_streams();
  callbacks();
  elapsed_time();
  return pass();
}
