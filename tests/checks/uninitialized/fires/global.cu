// cudaMalloc does not clear memory.
#include "../../check_case.h"

template <typename T> T* raw(size_t count) {
  T* array = nullptr;
  if (cudaMalloc(&array, count * sizeof(T)) != cudaSuccess) std::exit(1);
  return array;
}

__global__ void add(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1.0f; // expect: uninitialized
}

__global__ void branch(const int* flag, int* out) {
  if (flag[0] != 0) out[threadIdx.x] = 1; // expect: uninitialized
}

__global__ void address(const int* index, const int* in, int* out) {
  out[threadIdx.x] = in[index[threadIdx.x] & 31]; // expect: uninitialized
}

__global__ void counter(int* sum) {
  atomicAdd(sum, 1); // expect: uninitialized
}

__global__ void operand(const int* in, int* sum) {
  const int mine = in[threadIdx.x]; // expect: uninitialized
  atomicMax(sum, mine); // other: uninitialized
}

// Half of what is read was copied to the device.
__global__ void half(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] * 3; // expect: uninitialized
}

// A copy on the device brings no values with it.
__global__ void copied(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] - 1; // expect: uninitialized
}

__global__ void vector(const float4* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x].x + in[threadIdx.x].w; // expect: uninitialized
}

__global__ void three_of_four(float4* to) {
  to[threadIdx.x].x = 1;
  to[threadIdx.x].y = 2;
  to[threadIdx.x].z = 3;
}

__global__ void heap(int* out) {
  int* mine = static_cast<int*>(malloc(8 * sizeof(int)));
  if (mine == nullptr) return;
  mine[0] = 1;
  out[threadIdx.x] = mine[0] + mine[1]; // expect: uninitialized
  free(mine);
}

int main() {
  add<<<1, 64>>>(raw<float>(64), device_array<float>(64));
  branch<<<1, 64>>>(raw<int>(1), device_array<int>(64));
  address<<<1, 32>>>(raw<int>(32), device_array<int>(32), device_array<int>(32));
  counter<<<1, 64>>>(raw<int>(1));
  operand<<<1, 32>>>(raw<int>(32), device_array<int>(1));
  int host[32] = {};
  int* in = raw<int>(64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  half<<<1, 64>>>(in, device_array<int>(64));
  int* to = device_array<int>(64);
  cudaMemcpy(to, raw<int>(64), 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  copied<<<1, 64>>>(to, device_array<int>(64));
  float4* fours = raw<float4>(32);
  three_of_four<<<1, 32>>>(fours);
  vector<<<1, 32>>>(fours, device_array<float>(32));
  heap<<<1, 32>>>(device_array<int>(32));
  return finish();
}
