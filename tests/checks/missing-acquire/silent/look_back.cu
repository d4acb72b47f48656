// Decoupled look-back with the fence behind the flag.
#include "../../check_case.h"

// A prefix sum over blocks: each publishes what it has of its own, then looks back until it meets a whole prefix. Only
// block 0 has one at once; the others are late, so that the look-back is a long one.
__global__ void scan(const int* in, volatile int* state, int* aggregate, int* prefix) {
  if (threadIdx.x != 0) return;
  const int b = blockIdx.x;
  int* own = b == 0 ? prefix : aggregate;
  own[b] = in[b] + 1;
  __threadfence();
  state[b] = b == 0 ? 2 : 1;
  int before = 0;
  for (int p = b - 1; p >= 0; --p) {
    int seen;
    while ((seen = state[p]) == 0) {
    }
    __threadfence();
    before += (seen == 2 ? prefix : aggregate)[p];
  }
  if (b != 0) prefix[b] = before + in[b] + 1;
}

int main() {
  scan<<<6, 32>>>(device_array<int>(6), device_array<int>(6), device_array<int>(6), device_array<int>(6));
  return finish();
}
