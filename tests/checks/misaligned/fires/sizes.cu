#include "../../check_case.h"

__global__ void pair(const char* in, short* out) {
  out[threadIdx.x] = *reinterpret_cast<const short*>(in + 2 * threadIdx.x + 1); // expect: misaligned
}
__global__ void word(const char* in, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + 4 * threadIdx.x + 2); // expect: misaligned
}
__global__ void eight(char* out) {
  *reinterpret_cast<double*>(out + 8 * threadIdx.x + 4) = 1; // expect: misaligned
}
__global__ void vector(const float* in, float4* out) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(in + 1)[threadIdx.x]; // expect: misaligned
}
__global__ void shared(int* out) {
  __shared__ __align__(8) char bytes[260];
  bytes[threadIdx.x] = 0;
  __syncthreads();
  *reinterpret_cast<int*>(bytes + 4 * (threadIdx.x / 2) + 1) = 1; // expect: misaligned
  out[threadIdx.x] = bytes[threadIdx.x];
}
__global__ void atomic(char* out) {
  atomicAdd(reinterpret_cast<int*>(out + 3), 1); // expect: misaligned
}
// Dynamic shared memory carved by hand, doubles behind an odd number of ints.
__global__ void carved(double* out, int n) {
  extern __shared__ __align__(16) char memory[];
  int* ints = reinterpret_cast<int*>(memory);
  double* doubles = reinterpret_cast<double*>(ints + n);
  if (threadIdx.x < n) ints[threadIdx.x] = 1;
  doubles[threadIdx.x] = 2; // expect: misaligned
  __syncthreads();
  out[threadIdx.x] = doubles[threadIdx.x]; // expect: misaligned
}

int main() {
  char* bytes = device_array<char>(1024);
  pair<<<1, 32>>>(bytes, device_array<short>(32));
  word<<<1, 32>>>(bytes, device_array<int>(32));
  eight<<<1, 32>>>(bytes);
  vector<<<1, 32>>>(device_array<float>(256), device_array<float4>(32));
  shared<<<1, 1>>>(device_array<int>(32));
  atomic<<<1, 1>>>(bytes);
  carved<<<1, 32, 1024>>>(device_array<double>(32), 3);
  return finish();
}
