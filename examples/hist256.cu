// The histogram of a file's bytes, by privatisation.
//
// Shows: each block counts into its own 256 bins in shared memory with cheap shared atomics, and adds them to the
// global bins once at its end: blocks x 256 global atomics instead of one for each byte. The two barriers part
// clearing from counting and counting from adding.
//
// Usage:  hist256 FILE
// Prints: 256 lines "value count", then "total N" with N the size of the file.
#include "cuda_check.h"

#include <vector>

__global__ void hist256(const unsigned char* data, int N, int* g) {
  __shared__ int h[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
    atomicAdd(&h[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&g[i], h[i]);
}

static std::vector<unsigned char> read_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) {
    std::perror(path);
    std::exit(2);
  }
  std::vector<unsigned char> bytes;
  unsigned char buffer[1 << 16];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + got);
  std::fclose(file);
  if (bytes.size() >= (size_t{1} << 31) - 1024 * 256) { // the kernel's index is an int, and it steps by 1024 x 256
    std::fprintf(stderr, "%s: %zu bytes are too many for a 32-bit index\n", path, bytes.size());
    std::exit(2);
  }
  return bytes;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  const std::vector<unsigned char> bytes = read_file(argv[1]);

  unsigned char* data = nullptr;
  int* bins = nullptr;
  CUDA_CHECK(cudaMalloc(&data, bytes.size() + 1)); // an empty file still gets an address
  CUDA_CHECK(cudaMalloc(&bins, 256 * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(bins, 0, 256 * sizeof(int)));

  hist256<<<1024, 256>>>(data, static_cast<int>(bytes.size()), bins);
  CUDA_CHECK_KERNEL();

  int counts[256];
  CUDA_CHECK(cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost));
  long long total = 0;
  for (int value = 0; value < 256; ++value) {
    std::printf("%d %d\n", value, counts[value]);
    total += counts[value];
  }
  std::printf("total %lld\n", total);
  CUDA_CHECK(cudaFree(data));
  CUDA_CHECK(cudaFree(bins));
  return total == static_cast<long long>(bytes.size()) ? 0 : 1;
}
