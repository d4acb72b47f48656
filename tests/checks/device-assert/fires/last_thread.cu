// The program does not look at the status: the failed assert must not pass as clean.
#include "../../check_case.h"

#include <cassert>

__global__ void kernel(int n) {
  assert(threadIdx.x < n); // expect: device-assert
}

int main() {
  kernel<<<1, 33>>>(32);
  return finish();
}
