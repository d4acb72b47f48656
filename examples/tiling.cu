// The tiling skeleton: fill a tile in shared memory, meet, read it, meet again before the next tile overwrites it.
//
// Shows: a matrix product in 16 x 16 tiles. The first barrier makes the whole tile visible before anyone reads it;
// the second keeps a fast thread from overwriting the tile while a slow one still reads.
//
// Prints: "96 x 112 x 80 product: every element is right".
#include "cuda_check.h"

#include <vector>

constexpr int TILE = 16;

// c (rows x cols) = a (rows x inner) * b (inner x cols), all row-major. The sizes are multiples of TILE.
__global__ void multiply(const float* a, const float* b, float* c, int inner, int cols) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int start = 0; start < inner; start += TILE) {
    tile_a[ty][tx] = a[row * inner + start + tx];
    tile_b[ty][tx] = b[(start + ty) * cols + col];
    __syncthreads(); // the tile is complete
    for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads(); // everyone has read it
  }
  c[row * cols + col] = sum;
}

int main() {
  constexpr int rows = 96, inner = 112, cols = 80;
  std::vector<float> a(rows * inner), b(inner * cols), c(rows * cols);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3; // small integers: the sums are exact
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;

  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;
  CUDA_CHECK(cudaMalloc(&device_a, a.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&device_b, b.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&device_c, c.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

  multiply<<<dim3(cols / TILE, rows / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c, inner, cols);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * cols + col];
      if (c[row * cols + col] != sum) ++wrong;
    }
  CUDA_CHECK(cudaFree(device_a));
  CUDA_CHECK(cudaFree(device_b));
  CUDA_CHECK(cudaFree(device_c));
  if (wrong) std::printf("%d elements are WRONG\n", wrong);
  else std::printf("%d x %d x %d product: every element is right\n", rows, inner, cols);
  return wrong ? 1 : 0;
}
