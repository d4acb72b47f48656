// -rdc=true: kernel here, device function and variable in rdc_other.cu.
#include "check.h"

extern __device__ int shared_counter;
__device__ int square_and_count(int x);

__global__ void kernel(int* data) { data[threadIdx.x] = square_and_count(static_cast<int>(threadIdx.x)); }

int read_counter();

int main() {
  int* data = nullptr;
  OK(cudaMallocManaged(&data, 32 * sizeof(int)));
  kernel<<<1, 32>>>(data);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) CHECK(data[i] == i * i);
  CHECK(read_counter() == 32);
  OK(cudaFree(data));
  return pass();
}
