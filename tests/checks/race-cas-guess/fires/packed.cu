// Two 16-bit halves, one of which grows.
#include "../../check_case.h"

__global__ void count(unsigned* word) {
  unsigned old = *word, assumed;         // other: race-cas-guess
  do {
    assumed = old;
    old = atomicCAS(word, assumed, (assumed & 0xffff0000u) | ((assumed + 1) & 0xffffu)); // other: race-cas-guess
  } while (assumed != old);
}

int main() {
  count<<<2, 64>>>(device_array<unsigned>(1));
  return finish();
}
