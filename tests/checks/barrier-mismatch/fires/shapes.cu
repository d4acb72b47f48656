#include "../../check_case.h"

// A warp is split by a loop: some lanes are at the barrier of their next trip.
__global__ void next_trip(int* out) {
  for (int i = 0; i < 2; ++i) {
    if ((threadIdx.x + i) % 2 == 0)
      __syncthreads(); // other: barrier-mismatch
    else
      __syncthreads(); // other: barrier-mismatch
    out[threadIdx.x] += 1;
  }
}

__device__ __noinline__ void one_way() {
  __syncthreads(); // other: barrier-mismatch
}
__device__ __noinline__ void other_way() {
  __syncthreads(); // other: barrier-mismatch
}
__global__ void functions(int* out) {
  if (threadIdx.x < 5) one_way();
  else other_way();
  out[threadIdx.x] = 1;
}

__global__ void and_meets_sync(int* out) {
  if (threadIdx.x < 32) out[threadIdx.x] = __syncthreads_and(threadIdx.x < 40); // other: barrier-mismatch
  else __syncthreads(); // other: barrier-mismatch
}

// One side asks for 64 threads, the other for 96.
__global__ void counts(int* out) {
  if (threadIdx.x < 32)
    SYNC(1, 64); // other: barrier-mismatch
  else if (threadIdx.x < 64)
    SYNC(1, 96); // other: barrier-mismatch
  out[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  return each_alone(argc, argv,
                    {[] { next_trip<<<1, 64>>>(device_array<int>(64)); },
                     [] { functions<<<1, 32>>>(device_array<int>(32)); },
                     [] { and_meets_sync<<<1, 64>>>(device_array<int>(64)); },
                     [] { counts<<<1, 96>>>(device_array<int>(96)); }});
}
