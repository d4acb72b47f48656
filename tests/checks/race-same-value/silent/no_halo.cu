// Each block writes elements of its own.
#include "../../check_case.h"

__global__ void fill(int* out) { out[blockIdx.x * 33 + threadIdx.x] = 5; }

int main() {
  fill<<<3, 33>>>(device_array<int>(128));
  return finish();
}
