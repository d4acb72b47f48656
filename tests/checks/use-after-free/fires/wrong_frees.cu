#include "../../check_case.h"

__global__ void twice(int** shared) {
  if (threadIdx.x == 0) *shared = static_cast<int*>(malloc(64));
  __syncthreads();
  int* mine = *shared;
  __syncthreads();
  free(mine); // expect: use-after-free
}
__global__ void middle() {
  int* mine = static_cast<int*>(malloc(64));
  free(mine + 4); // expect: use-after-free
}
__global__ void of_the_host(int* data) {
  if (threadIdx.x == 0) free(data); // expect: use-after-free
}
__global__ void local() {
  int own[4];
  int* volatile pointer = own;
  free(pointer); // expect: use-after-free
}

int main() {
  twice<<<1, 32>>>(device_array<int*>(1));
  middle<<<1, 32>>>();
  of_the_host<<<1, 32>>>(device_array<int>(16));
  local<<<1, 1>>>();
  return finish();
}
