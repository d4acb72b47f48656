#include "../../check_case.h"

__device__ __noinline__ int fibonacci(int n) {
  if (n <= 1) return 1;
  return fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void ends(int* out) { out[0] = fibonacci(7); }

__device__ __noinline__ int pong(int n);
__device__ __noinline__ int ping(int n) { return n == 0 ? 0 : pong(n - 1) + 1; }
__device__ __noinline__ int pong(int n) { return n == 0 ? 0 : ping(n - 1) + 1; }
__global__ void mutual(int* out, int n) { out[0] = ping(n); }

__device__ __noinline__ int large_frame(int n) {
  volatile int kept[2048];
  kept[n % 2048] = n;
  return n == 0 ? 0 : large_frame(n - 1) + kept[n % 2048];
}
__global__ void large(int* out, int n) { out[0] = large_frame(n); }

struct Node {
  const Node* next;
};
__device__ __noinline__ int length(const Node* node) { return node == nullptr ? 0 : length(node->next) + 1; }
__global__ void list(Node* nodes, int* out) {
  nodes[0].next = &nodes[1];
  nodes[1].next = nullptr;
  out[0] = length(nodes);
}

__global__ void loop(int* out, int n) { // a loop instead
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += i;
  out[0] = sum;
}

int main() {
  ends<<<1, 1>>>(device_array<int>(1));
  mutual<<<1, 1>>>(device_array<int>(1), 100);
  large<<<1, 1>>>(device_array<int>(1), 10);
  list<<<1, 1>>>(device_array<Node>(2), device_array<int>(1));
  loop<<<1, 1>>>(device_array<int>(1), 10000);
  return finish();
}
