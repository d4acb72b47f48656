#include "../../check_case.h"

__global__ void write(int* out) {
  out[threadIdx.x] = 1; // expect: null-pointer
}

struct Node {
  int value;
  Node* next;
};
__global__ void list(Node* first, int* out) {
  first->next = nullptr;
  out[0] = first->next->value; // expect: null-pointer
}

__global__ void counter(int* sum) {
  atomicAdd(sum, 1); // expect: null-pointer
}

__global__ void member(const Node* nodes, int* out) {
  out[0] = nodes[100].next != nullptr; // expect: null-pointer
}

__device__ int* table;
__global__ void variable(int n) {
  table[n] = 1; // expect: null-pointer
}

// More than the heap has: malloc says so, and nobody looks.
__global__ void heap() {
  int* mine = static_cast<int*>(malloc(size_t(1) << 40));
  mine[threadIdx.x] = 1; // expect: null-pointer
}

using Function = int (*)(int);
__global__ void call(int* out, Function function) {
  out[0] = function(3); // expect: null-pointer
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { write<<<1, 32>>>(nullptr); },
                     [] { list<<<1, 1>>>(device_array<Node>(1), device_array<int>(1)); },
                     [] { counter<<<1, 64>>>(nullptr); }, [] { member<<<1, 1>>>(nullptr, device_array<int>(1)); },
                     [] { variable<<<1, 1>>>(5); }, [] { heap<<<1, 32>>>(); },
                     [] { call<<<1, 1>>>(device_array<int>(1), nullptr); }});
}
