// So is double.
#include "../../check_case.h"

__global__ void kernel(double* data) {
  atomicAdd(data, double(1)); 
}

int main() {
  kernel<<<1, 32>>>(device_array<double>(64));
  return finish();
}
