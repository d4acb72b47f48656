// options: --arch sm_90
// Block 1 leaves while block 0 still reads its shared memory: a device ends the kernel (cluster target block not present).
#include "../../check_case.h"
#include "../../cluster.h"

__global__ void __cluster_dims__(2, 1, 1) late(int* out, const volatile int* zero) {
  __shared__ int word;
  word = blockIdx.x;
  cluster_sync();
  if (cluster_rank() == 1) return;
  for (int i = 0; i < 10000; ++i) out[0] += *zero;
  __nanosleep(1000);
  __syncthreads();
  out[1] = *map_shared(&word, 1); // expect: use-after-free
}

int main() {
  late<<<2, 1>>>(device_array<int>(2), device_array<int>(1));
  return finish();
}
