// A 16-byte load that begins inside an array of 25 ints and ends behind it.
#include "../../check_case.h"

__global__ void kernel(const int4* in, int* out) {
  const int4 four = in[threadIdx.x]; // expect: out-of-bounds
  out[threadIdx.x] = four.x + four.w;
}

int main() {
  kernel<<<1, 7>>>(reinterpret_cast<int4*>(device_array<int>(25)), device_array<int>(7));
  return finish();
}
