// Null may be freed, each block by whoever likes, also in a later kernel.
#include "../../check_case.h"

__device__ int* kept[32];

__global__ void take() {
  kept[threadIdx.x] = static_cast<int*>(malloc(16 * (threadIdx.x + 1)));
  free(nullptr);
}
__global__ void give() { free(kept[31 - threadIdx.x]); }

int main() {
  take<<<1, 32>>>();
  give<<<1, 32>>>();
  return finish();
}
