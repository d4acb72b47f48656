#include "../../check_case.h"

__device__ __noinline__ int fibonacci(int n) {
  if (n == 1) return 1; // never meets 0 or less
  return fibonacci(n - 1) + fibonacci(n - 2); // expect: stack-overflow
}
__global__ void no_end(int* out) { out[0] = fibonacci(2); }

__device__ __noinline__ int pong(int n);
__device__ __noinline__ int ping(int n) {
  return n == 0 ? 0 : pong(n - 1) + 1; // expect: stack-overflow
}
__device__ __noinline__ int pong(int n) {
  return n == 0 ? 0 : ping(n - 1) + 1;
}
__global__ void mutual(int* out, int n) { out[0] = ping(n); }

__device__ __noinline__ int large_frame(int n) {
  volatile int kept[2048];
  kept[n % 2048] = n;
  return n == 0 ? 0 : large_frame(n - 1) + kept[n % 2048]; // expect: stack-overflow
}
__global__ void large(int* out, int n) { out[0] = large_frame(n); }

struct Node {
  const Node* next;
};
__device__ __noinline__ int length(const Node* node) {
  return node == nullptr ? 0 : length(node->next) + 1; // expect: stack-overflow
}
__global__ void circle(Node* nodes, int* out) {
  nodes[0].next = &nodes[1];
  nodes[1].next = &nodes[0];
  out[0] = length(nodes);
}

using Function = int (*)(int);
__device__ Function next;
__device__ __noinline__ int through_pointer(int n) {
  return next(n + 1) + 1; // expect: stack-overflow
}
__global__ void indirect(int* out) {
  next = through_pointer;
  out[0] = next(0);
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { no_end<<<1, 1>>>(device_array<int>(1)); },
                     [] { mutual<<<1, 32>>>(device_array<int>(1), 1000000); },
                     [] { large<<<1, 1>>>(device_array<int>(1), 1000); },
                     [] { circle<<<1, 1>>>(device_array<Node>(2), device_array<int>(1)); },
                     [] { indirect<<<1, 1>>>(device_array<int>(1)); }});
}
