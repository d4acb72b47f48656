// options: --arch sm_90
// Blocks of one cluster exchange data through global memory; their barrier orders it.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) partners(int* data, int* out) {
  for (int round = 0; round < 3; ++round) {
    data[blockIdx.x * 32 + threadIdx.x] = round;
    cluster_sync();
    out[blockIdx.x * 32 + threadIdx.x] += data[(blockIdx.x ^ 1) * 32 + 31 - threadIdx.x];
    cluster_sync();
  }
}

int main() {
  partners<<<4, 32>>>(device_array<int>(128), device_array<int>(128));
  return finish();
}
