// Two warps wait at two barriers in opposite order.
#include "../../check_case.h"

__global__ void kernel() {
  if (threadIdx.x < 32) {
    SYNC(1, 64); // other: deadlock
    SYNC(2, 64);
  } else {
    SYNC(2, 64); // other: deadlock
    SYNC(1, 64);
  }
}

int main() {
  kernel<<<1, 64>>>();
  return finish();
}
