// The barrier of the warp stands behind the branch.
#include "../../check_case.h"

__global__ void kernel(int* data) {
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    data[lane] = 1;
  }
  __syncwarp();
  __syncthreads();
  data[32 + lane] = 2;
}

int main() {
  kernel<<<1, 32>>>(device_array<int>(64));
  return finish();
}
