// The storage of a std::vector.
#include "../../check_case.h"

#include <vector>

__global__ void kernel(const float* data, float* out) {
  out[threadIdx.x] = data[threadIdx.x]; // expect: host-pointer
}

int main() {
  std::vector<float> data(1000, 1.0f);
  kernel<<<1, 64>>>(data.data(), device_array<float>(64));
  return finish();
}
