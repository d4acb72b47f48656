// Neighbouring blocks write the element that both of them cover.
#include "../../check_case.h"

__global__ void fill(int* out) { out[blockIdx.x * 32 + threadIdx.x] = 5; } // other: race-same-value

int main() {
  fill<<<3, 33>>>(device_array<int>(128));
  return finish();
}
