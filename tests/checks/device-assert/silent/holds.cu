#include "../../check_case.h"

#include <cassert>

__global__ void kernel(int n) { assert(threadIdx.x < n); }

int main() {
  kernel<<<2, 32>>>(32);
  return finish();
}
