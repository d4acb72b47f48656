// Decoupled look-back without the fence behind the flag.
#include "../../check_case.h"

// A prefix sum over blocks: each publishes its aggregate, then its inclusive prefix, and looks back until it meets one.
__global__ void scan(const int* in, volatile int* state, int* aggregate, int* prefix) {
  if (threadIdx.x != 0) return;
  const int b = blockIdx.x;
  aggregate[b] = in[b] + 1;
  __threadfence();
  state[b] = 1;
  int before = 0;
  for (int p = b - 1; p >= 0; --p) {
    int seen;
    while ((seen = state[p]) == 0) { // other: missing-acquire
    }
    if (seen == 2) {
      before += prefix[p]; // other: missing-acquire
      break;
    }
    before += aggregate[p];
  }
  prefix[b] = before + in[b] + 1; // other: missing-acquire
  __threadfence();
  state[b] = 2;
}

int main() {
  scan<<<6, 32>>>(device_array<int>(6), device_array<int>(6), device_array<int>(6), device_array<int>(6));
  return finish();
}
