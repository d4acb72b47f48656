// All who find something say so in the same place.
#include "../../check_case.h"

__global__ void search(const int* data, int* found) {
  if (data[threadIdx.x] == 0) *found = 1; // other: race-same-value
}

int main() {
  search<<<1, 64>>>(device_array<int>(64), device_array<int>(1));
  return finish();
}
