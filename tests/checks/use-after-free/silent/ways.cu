#include "../../check_case.h"

__global__ void read(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(64));
  mine[0] = 1;
  out[threadIdx.x] = mine[0];
  free(mine);
}
__global__ void write(int* out) { out[threadIdx.x] = 1; }

// The pointer goes from one kernel to the next, which frees.
__device__ int* kept;
__global__ void make() {
  kept = static_cast<int*>(malloc(64));
  kept[0] = 5;
}
__global__ void drop(int* out) {
  out[0] = kept[0];
  free(kept);
}

int main() {
  int* out = device_array<int>(32);
  int* in = device_array<int>(64);
  read<<<1, 32>>>(in, out);
  cudaFree(in); // waits for the kernel
  heap<<<1, 32>>>(out);
  make<<<1, 1>>>();
  drop<<<1, 1>>>(out);
  int* array = nullptr;
  cudaMallocAsync(&array, 128, 0);
  write<<<1, 32>>>(array);
  cudaFreeAsync(array, 0);
  cudaMallocManaged(&array, 128);
  write<<<1, 32>>>(array);
  cudaDeviceSynchronize();
  cudaFree(array);
  // The same addresses again, alive.
  int* again = device_array<int>(64);
  read<<<1, 32>>>(again, out);
  cudaFree(device_array<int>(64));
  write<<<1, 32>>>(again);
  return finish();
}
