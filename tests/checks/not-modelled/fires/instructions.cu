#include "../../check_case.h"

__global__ void load_matrix(unsigned* out) {
  __shared__ __align__(16) unsigned tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned value = 0;
  const unsigned at = __cvta_generic_to_shared(tile);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(value) : "r"(at)); // expect: not-modelled
  out[threadIdx.x] = value;
}

__global__ void video(int* out) {
  int value = 0;
  asm volatile("vadd2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(value) : "r"(1), "r"(2), "r"(3)); // expect: not-modelled
  out[threadIdx.x] = value;
}

__global__ void surface(unsigned long long surface, int* out) {
  int value = 0;
  asm volatile("suld.b.1d.b32.trap {%0}, [%1, {%2}];" : "=r"(value) : "l"(surface), "r"(threadIdx.x)); // expect: not-modelled
  out[threadIdx.x] = value;
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { load_matrix<<<1, 32>>>(device_array<unsigned>(32)); },
                     [] { video<<<1, 32>>>(device_array<int>(32)); },
                     [] { surface<<<1, 32>>>(0, device_array<int>(32)); }});
}
