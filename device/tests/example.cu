// The example of docs/api.md, as it stands there.
// [docs/api.md]
#include <cstdio>
#include <tollgate/histogram.h>

int main() {
  const size_t n = 1000;
  const int bins = 4;
  float* samples;
  unsigned* counts;
  if (cudaMallocManaged(&samples, n * sizeof *samples) != cudaSuccess) return 1;
  if (cudaMallocManaged(&counts, bins * sizeof *counts) != cudaSuccess) return 1;
  for (size_t i = 0; i < n; ++i) samples[i] = static_cast<float>(i % 100) / 100;

  cudaError_t error = tollgate::histogram_even(samples, n, counts, bins, 0.0f, 1.0f);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(error));                          // no error
  for (int b = 0; b < bins; ++b) std::printf("%u\n", counts[b]); // 250, four times
  return error != cudaSuccess;
}
// [end]
