// A warp reads two stretches of bytes in one line, and then each thread writes the byte that it read itself: the four
// bytes of a word belong to four threads.
#include "../../check_case.h"

template <class T> __global__ void kernel(T* out) {
  __shared__ T tile[64];
  tile[threadIdx.x] = static_cast<T>(threadIdx.x);
  tile[threadIdx.x + 32] = static_cast<T>(threadIdx.x);
  __syncthreads();
  const T own = tile[threadIdx.x], other = tile[threadIdx.x + 32];
  tile[threadIdx.x] = static_cast<T>(own + other);
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  kernel<<<1, 32>>>(device_array<unsigned char>(32));
  kernel<<<1, 32>>>(device_array<unsigned short>(32));
  return finish();
}
