#include "../../check_case.h"

__global__ void array(int* out, int n) {
  int a[8];
  for (int i = 0; i < n; ++i) a[i] = i;
  int sum = 0;
  for (int i = 0; i <= n; ++i) sum += a[(i * 3) % 8]; // expect: uninitialized
  out[threadIdx.x] = sum;
}

__global__ void one_path(int* out, int n) {
  int v[2];
  for (int i = 0; i < 2; ++i)
    if (threadIdx.x < n) v[i] = 1;
  out[threadIdx.x] = v[n & 1] + 1; // expect: uninitialized
}

__global__ void switched(int* out, int n) {
  int v[4];
  switch (n) {
  case 1: v[n] = 1; break;
  case 2: v[n] = 2; break;
  }
  if (v[n] == 1) out[threadIdx.x] = 1; // expect: uninitialized
}

struct Pair {
  int first, second;
};

// The member comes all the way: through a function, shared memory and a copy.
__device__ __noinline__ Pair make(int n) {
  Pair p;
  p.first = n;
  return p;
}
__global__ void member(int* out) {
  __shared__ Pair all[32];
  all[threadIdx.x] = make(threadIdx.x);
  __syncthreads();
  const Pair mine = all[31 - threadIdx.x];
  out[threadIdx.x] = mine.first + mine.second; // expect: uninitialized
}

__global__ void pointer(int* out, int n) {
  float x, y = 2;
  float* at = n > 5 ? &x : &y;
  out[threadIdx.x] = int(*at * 2); // expect: uninitialized
}

__global__ void shuffled(int* out) {
  int v[32];
  if (threadIdx.x != 7) v[threadIdx.x] = threadIdx.x;
  const int got = __shfl_xor_sync(~0u, v[threadIdx.x], 1); // expect: uninitialized
  out[threadIdx.x] = got + 1;
}

int main() {
  array<<<1, 32>>>(device_array<int>(32), 7);
  one_path<<<1, 32>>>(device_array<int>(32), 31);
  switched<<<1, 32>>>(device_array<int>(32), 3);
  member<<<1, 32>>>(device_array<int>(32));
  pointer<<<1, 32>>>(device_array<int>(32), 6);
  shuffled<<<1, 32>>>(device_array<int>(32));
  return finish();
}
