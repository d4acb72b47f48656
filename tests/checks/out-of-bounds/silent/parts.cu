#include "../../check_case.h"

__global__ void between_arrays(int* out) {
  __shared__ int first[32];
  __shared__ int second[32];
  second[threadIdx.x] = 1;
  for (int i = 0; i < 32; ++i) first[i] = i;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

__global__ void one_array(int* out) { // parts of one array, and vectors across them
  __shared__ __align__(16) int both[64];
  int* const first = both;
  int* const second = both + 32;
  first[threadIdx.x] = second[threadIdx.x] = 1;
  __syncthreads();
  const int4 four = reinterpret_cast<int4*>(both)[threadIdx.x % 16];
  out[threadIdx.x] = four.x + second[int(threadIdx.x) - 32 + 31];
}

// Dynamic shared memory carved by hand.
__global__ void carved(double* out, int n) {
  extern __shared__ __align__(16) char memory[];
  double* doubles = reinterpret_cast<double*>(memory);
  int* ints = reinterpret_cast<int*>(doubles + n);
  char* bytes = reinterpret_cast<char*>(ints + n);
  doubles[threadIdx.x] = 1;
  ints[threadIdx.x] = 2;
  bytes[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = doubles[n - 1 - threadIdx.x] + ints[n - 1 - threadIdx.x] + bytes[n - 1 - threadIdx.x];
}

__global__ void local_array(int* out, int n) {
  int a[8];
  for (int i = 0; i < n; ++i) a[i] = i;
  out[threadIdx.x] = a[threadIdx.x % 8];
}

__device__ __noinline__ int through_pointer(const int* values, int i) { return values[i]; }
__device__ __noinline__ int depth(int n, const int* above) { // locals of callers, through frames of their own
  int mine[4] = {n, n + 1, n + 2, n + 3};
  return n == 0 ? above[3] : depth(n - 1, mine) + through_pointer(mine, n % 4);
}
__global__ void own_locals(int* out, int n) {
  int mine[4] = {1, 2, 3, 4};
  out[threadIdx.x] = depth(n, mine);
}

__device__ int variable[16];
__global__ void whole_variable() { variable[threadIdx.x] = 1; }

__global__ void heap(int* out) {
  char* mine = static_cast<char*>(malloc(10));
  for (int i = 0; i < 10; ++i) mine[i] = i;
  out[0] = mine[9];
  free(mine);
}

template <typename T> struct Tile {
  T rows[4][33];
};
__global__ void structure(float* out) {
  __shared__ Tile<float> tile;
  __shared__ int count;
  if (threadIdx.x == 0) count = 4;
  for (int row = 0; row < 4; ++row) tile.rows[row][threadIdx.x] = row;
  __syncthreads();
  out[threadIdx.x] = tile.rows[count - 1][threadIdx.x];
}

int main() {
  between_arrays<<<1, 1>>>(device_array<int>(32));
  one_array<<<1, 32>>>(device_array<int>(32));
  carved<<<1, 32, 32 * 13>>>(device_array<double>(32), 32);
  local_array<<<1, 32>>>(device_array<int>(32), 8);
  own_locals<<<1, 32>>>(device_array<int>(32), 5);
  whole_variable<<<1, 16>>>();
  heap<<<1, 1>>>(device_array<int>(1));
  structure<<<1, 32>>>(device_array<float>(32));
  return finish();
}
