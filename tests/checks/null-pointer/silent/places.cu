#include "../../check_case.h"

__global__ void write(int* out) {
  if (out != nullptr) out[threadIdx.x] = 1;
}

struct Node {
  int value;
  Node* next;
};
__global__ void list(Node* first, int* out) {
  first->next = nullptr;
  for (const Node* at = first; at != nullptr; at = at->next) out[0] += 1;
}

__global__ void counter(int* sum) {
  if (sum != nullptr) atomicAdd(sum, 1);
}

__global__ void address_only(Node* nodes, Node** out) { out[0] = nodes + 5; }

__device__ int* table;
__global__ void variable(int* at, int n) {
  table = at;
  table[n] = 1;
}

__global__ void heap() {
  int* mine = static_cast<int*>(malloc(size_t(1) << 40));
  if (mine != nullptr) mine[threadIdx.x] = 1;
  free(mine);
}

__device__ int twice(int n) { return 2 * n; }
__global__ void call(int* out, int n) {
  int (*function)(int) = n > 0 ? twice : nullptr;
  out[0] = function != nullptr ? function(3) : 0;
}

int main() {
  write<<<1, 32>>>(nullptr);
  list<<<1, 1>>>(device_array<Node>(1), device_array<int>(1));
  counter<<<1, 64>>>(nullptr);
  address_only<<<1, 1>>>(nullptr, device_array<Node*>(1));
  variable<<<1, 1>>>(device_array<int>(8), 5);
  heap<<<1, 32>>>();
  call<<<1, 1>>>(device_array<int>(1), 0);
  return finish();
}
