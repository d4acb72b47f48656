// [explain]
#include <cuda_fp16.h>
#include <mma.h>

__global__ void multiply(float* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(a, __float2half(1));
  fill_fragment(b, __float2half(1));
  fill_fragment(c, 0);
  mma_sync(c, a, b, c); // matrix instructions are outside the model
  store_matrix_sync(out, c, 16, mem_row_major);
}
// [end]

int main() {
  float* data = nullptr;
  if (cudaMalloc(&data, 256 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 256 * sizeof(float));
  multiply<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
