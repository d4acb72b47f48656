// Barrier 1 asks for three warps; the third waits elsewhere.
#include "../../check_case.h"

__global__ void kernel() {
  if (threadIdx.x < 64)
    SYNC(1, 96); // other: deadlock
  else
    SYNC(2, 64); // other: deadlock
}

int main() {
  kernel<<<1, 96>>>();
  return finish();
}
