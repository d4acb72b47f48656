// Tensor cores through the C++ interface.
#include "../../check_case.h"

#include <mma.h>

using namespace nvcuda;

__global__ void kernel(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16); // other: not-modelled
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main() {
  kernel<<<1, 32>>>(device_array<half>(256), device_array<half>(256), device_array<float>(256));
  return finish();
}
