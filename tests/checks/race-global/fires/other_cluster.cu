// options: --arch sm_90
// A cluster's barrier orders its own blocks only.
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) neighbours(int* data, int* out) {
  data[blockIdx.x] = blockIdx.x; // other: race-global
  cluster_sync();
  out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x]; // other: race-global
}

int main() {
  neighbours<<<4, 1>>>(device_array<int>(4), device_array<int>(4));
  return finish();
}
