#include "../../check_case.h"

// One element past a shared array, into the next.
__global__ void between_arrays(int* out) {
  __shared__ int first[32];
  __shared__ int second[32];
  second[threadIdx.x] = 1;
  for (int i = 0; i <= 32; ++i) first[i] = i; // expect: out-of-bounds
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

__global__ void before_array(int* out) {
  __shared__ int first[32];
  __shared__ int second[32];
  first[threadIdx.x] = second[threadIdx.x] = 1;
  __syncthreads();
  int* const lower = first < second ? second : first; // the one that has another below it
  out[threadIdx.x] = lower[int(threadIdx.x) - 1]; // expect: out-of-bounds
}

// From static into dynamic shared memory.
__global__ void into_dynamic(int* out) {
  __shared__ int fixed[32];
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;
  fixed[threadIdx.x + 1] = 2; // expect: out-of-bounds
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void past_dynamic(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + 1] = 1; // expect: out-of-bounds
  out[threadIdx.x] = 1;
}

__global__ void local_array(int* out, int n) {
  int a[8];
  for (int i = 0; i <= n; ++i) a[i] = i; // expect: out-of-bounds
  out[threadIdx.x] = a[threadIdx.x % 8];
}

// A pointer to a local variable means nothing to another thread.
__global__ void of_another_thread(int* out) {
  __shared__ int* shared;
  int mine = threadIdx.x;
  if (threadIdx.x == 0) shared = &mine;
  __syncthreads();
  out[threadIdx.x] = *shared; // expect: out-of-bounds
}

__device__ int variable[16];
__global__ void past_variable(int n) {
  variable[n] = 1; // expect: out-of-bounds
}

__global__ void past_heap(int* out) {
  char* mine = static_cast<char*>(malloc(10));
  mine[10] = 1; // expect: out-of-bounds
  out[0] = mine[10]; // expect: out-of-bounds
  free(mine);
}

int main() {
  between_arrays<<<1, 1>>>(device_array<int>(32));
  before_array<<<1, 32>>>(device_array<int>(32));
  into_dynamic<<<1, 32, 32 * sizeof(int)>>>(device_array<int>(32));
  past_dynamic<<<1, 32, 32 * sizeof(int)>>>(device_array<int>(32));
  local_array<<<1, 32>>>(device_array<int>(32), 8);
  of_another_thread<<<1, 32>>>(device_array<int>(32));
  past_variable<<<1, 1>>>(16);
  past_heap<<<1, 1>>>(device_array<int>(1));
  return finish();
}
