#include "../../check_case.h"

__global__ void pair(const char* in, short* out) {
  out[threadIdx.x] = *reinterpret_cast<const short*>(in + 2 * threadIdx.x + 2);
}
__global__ void word(const char* in, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + 4 * threadIdx.x + 4);
}
__global__ void eight(char* out) { *reinterpret_cast<double*>(out + 8 * threadIdx.x + 8) = 1; }
__global__ void vector(const float* in, float* out) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(in + 4)[threadIdx.x].x;
}
__global__ void bytes_by_bytes(const char* in, int* out) { // any address will do
  int v = 0;
  memcpy(&v, in + 4 * threadIdx.x + 1, sizeof v);
  out[threadIdx.x] = v;
}
struct __attribute__((packed)) Packed {
  char tag;
  int value;
};
__global__ void packed(const Packed* in, int* out) { out[threadIdx.x] = in[threadIdx.x].value; }
__global__ void carved(double* out, int n) {
  extern __shared__ __align__(16) char memory[];
  int* ints = reinterpret_cast<int*>(memory);
  double* doubles = reinterpret_cast<double*>(ints + (n + 1) / 2 * 2);
  if (threadIdx.x < n) ints[threadIdx.x] = 1;
  doubles[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = doubles[threadIdx.x] + ints[threadIdx.x % n];
}

int main() {
  char* bytes = device_array<char>(1024);
  pair<<<1, 32>>>(bytes, device_array<short>(32));
  word<<<1, 32>>>(bytes, device_array<int>(32));
  eight<<<1, 32>>>(bytes);
  vector<<<1, 32>>>(device_array<float>(256), device_array<float>(32));
  bytes_by_bytes<<<1, 32>>>(bytes, device_array<int>(32));
  packed<<<1, 32>>>(reinterpret_cast<Packed*>(bytes), device_array<int>(32));
  carved<<<1, 32, 1024>>>(device_array<double>(32), 3);
  return finish();
}
