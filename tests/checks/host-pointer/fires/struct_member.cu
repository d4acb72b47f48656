// A host pointer inside a struct that was itself copied to the device.
#include "../../check_case.h"

struct List {
  int* items;
  int count;
};

__global__ void kernel(const List* list, int* out) {
  for (int i = threadIdx.x; i < list->count; i += blockDim.x)
    out[i] = list->items[i]; // expect: host-pointer
}

int main() {
  List list{static_cast<int*>(std::calloc(100, sizeof(int))), 100};
  List* device = device_array<List>(1);
  cudaMemcpy(device, &list, sizeof list, cudaMemcpyHostToDevice);
  kernel<<<1, 32>>>(device, device_array<int>(100));
  const int code = finish();
  std::free(list.items);
  return code;
}
