// A counter that stops at a limit.
#include "../../check_case.h"

__global__ void count(unsigned* counter, unsigned limit) {
  unsigned old = *counter;               // other: race-cas-guess
  while (old < limit) {
    const unsigned assumed = old;
    old = atomicCAS(counter, assumed, assumed + 1); // other: race-cas-guess
    if (old == assumed) break;
  }
}

int main() {
  count<<<2, 64>>>(device_array<unsigned>(1), 70);
  return finish();
}
