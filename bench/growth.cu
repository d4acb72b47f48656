// How the time of a kernel grows with the lanes of a warp that work, the warps of a block, the blocks of a grid and the
// ways that the lanes of a warp part. Medians of five launches, in nanoseconds for one warp, barrier or block.
//
//   build/tollgate nvcc -O3 bench/growth.cu -o growth && build/tollgate run ./growth
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int kSteps = 2000; // of a chain of multiplications and additions
constexpr int kBarriers = 200;

__device__ float chain(float x, float factor) {
#pragma unroll 1
  for (int i = 0; i < kSteps; ++i) x = x * factor + 0.25f;
  return x;
}

// `lanes` of the 32 work.
__global__ void lanes_work(float* out, int lanes) {
  float x = float(threadIdx.x);
  if (int(threadIdx.x % 32) < lanes) x = chain(x, 0.5f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Each lane goes one of `ways`: that many loops, one after the other.
__global__ void ways_part(float* out, int ways) {
  float x = float(threadIdx.x);
  const int own = int(threadIdx.x % 32) % ways;
  for (int way = 0; way < ways; ++way)
    if (own == way) x = chain(x, 0.5f + 0.01f * float(way));
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// A value goes round the block, a barrier each step.
__global__ void barriers(float* out) {
  __shared__ float ring[1024];
  float x = float(threadIdx.x);
  for (int i = 0; i < kBarriers; ++i) {
    ring[threadIdx.x] = x;
    __syncthreads();
    x = ring[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void little(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

template <class Launch> double nanoseconds(Launch launch) {
  std::array<double, 5> all;
  launch();
  for (double& time : all) {
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
    const auto start = std::chrono::steady_clock::now();
    launch();
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
    time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }
  std::nth_element(all.begin(), all.begin() + 2, all.end());
  return all[2];
}

int main() {
  float* out = nullptr;
  constexpr int kMost = 1 << 16;
  if (cudaMalloc(&out, size_t(kMost) * 256 * sizeof(float)) != cudaSuccess) return 1;
  constexpr int blocks = 256, warps = 8;

  std::printf("lanes that work:");
  for (const int lanes : {1, 2, 8, 16, 31, 32}) {
    const double time = nanoseconds([&] { lanes_work<<<blocks, 32 * warps>>>(out, lanes); });
    std::printf("  %d: %.0f ns", lanes, time / (blocks * warps));
  }
  std::printf(" a warp\nways that lanes part:");
  for (const int ways : {1, 2, 4, 8, 16, 32}) {
    const double time = nanoseconds([&] { ways_part<<<blocks, 32 * warps>>>(out, ways); });
    std::printf("  %d: %.0f ns", ways, time / (blocks * warps));
  }
  std::printf(" a warp\nwarps of a block:");
  for (const int count : {1, 2, 4, 8, 16, 32}) {
    const double time = nanoseconds([&] { barriers<<<blocks, 32 * count>>>(out); });
    std::printf("  %d: %.0f ns", count, time / (double(blocks) * count * 2 * kBarriers));
  }
  std::printf(" a warp and barrier\nblocks of 256 threads:");
  for (const int count : {1, 16, 256, 4096, kMost}) {
    const double time = nanoseconds([&] { little<<<count, 256>>>(out); });
    std::printf("  %d: %.0f ns", count, time / count);
  }
  std::printf(" a block\n");
}
