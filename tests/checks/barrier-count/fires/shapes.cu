#include "../../check_case.h"

__global__ void one_thread() {
  SYNC(1, 1); // expect: barrier-count
}

__global__ void arrival(int count) {
  if (threadIdx.x < 32) ARRIVE(1, count); // expect: barrier-count barrier-mismatch
  else SYNC(1, 64);
}

__global__ void lanes_differ(int* out) {
  SYNC(1, 32 + threadIdx.x / 16); // expect: barrier-count barrier-mismatch
  out[threadIdx.x] = 1;
}

// A trip is announced before anybody has waited for the one before it: a device counts the warp twice.
__global__ void twice(int* out) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) {
    for (int i = 0; i < 2; ++i) {
      tile[threadIdx.x] = i;
      ARRIVE(3, 64); // expect: barrier-count
    }
  } else {
    SYNC(3, 64);
    out[threadIdx.x] = 1;
  }
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { one_thread<<<1, 32>>>(); }, [] { arrival<<<1, 64>>>(40); },
                     [] { lanes_differ<<<1, 32>>>(device_array<int>(32)); },
                     [] { twice<<<1, 64>>>(device_array<int>(64)); }});
}
