// Blocks whose rows are shorter than a warp: what a warp reads and writes then lies in several lines of memory, and the last
// warp of a block may have rows that do not exist. One kernel, of any shape, against the same loops on the host.
#include "conformance.h"

#include <algorithm>
#include <cstdint>

namespace {

struct Shape {
  unsigned x, y, z;
};
const Shape shapes[] = {{16, 16, 1}, {16, 15, 1}, {16, 1, 3}, {8, 8, 2}, {8, 3, 1},  {8, 5, 3},  {48, 5, 1},
                        {24, 7, 2},  {40, 3, 1},  {4, 9, 2},  {2, 2, 2}, {20, 6, 1}, {16, 64, 1}};
constexpr int kPitch = 64, kRows = 72, kGuard = 256;


// Where thread (x, y, z) of a block reads and writes.
__host__ __device__ int place(int x, int y, int z) { return kGuard + (z * kRows + y) * kPitch + x; }

template <class T>
__global__ void pass(const T* in, T* out, int most_x, int most_y, int rounds) {
  __shared__ T tile[1024];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int own = (z * blockDim.y + y) * blockDim.x + x, threads = blockDim.x * blockDim.y * blockDim.z;
  const int at = place(x, y, z);
  T value = in[at];                                   // rows
  value += in[kGuard + y];                            // one value a row
  value += in[place(int(blockDim.x) - 1 - x, y, z)];  // rows backwards
  if (x < most_x && y < most_y) value += in[at + 1];  // part of each row, part of the rows
  if (((x ^ y) & 1) != 0) value += in[at - 1];        // every other lane
  if (y == most_y) value += in[kGuard + z * 7 + 2 * y]; // one row at one address
  tile[own] = value;
  __syncthreads();
  const T* moving = in + kGuard + z;
  for (int round = 0; round < rounds; ++round) {
    value += tile[(own + round) % threads] * moving[x * 3]; // values that live across barriers, steps of three
    const T first = tile[(z * blockDim.y + y) * blockDim.x]; // read by all of its row
    moving += kPitch;
    __syncthreads();
    if (x >= round) tile[own] = value + first;
    __syncthreads();
  }
  if (x + 2 * y != most_x) out[at] = value;
  if (y >= most_y) out[at] += tile[own];
}

// The same for one block after another in time: phases between barriers become loops over all threads.
template <class T> std::vector<T> expected(const Shape& s, const std::vector<T>& in, int most_x, int most_y, int rounds) {
  std::vector<T> out(in.size()), tile(1024), values(1024), next;
  const int threads = int(s.x * s.y * s.z);
  auto each = [&](auto work) {
    for (int z = 0; z < int(s.z); ++z)
      for (int y = 0; y < int(s.y); ++y)
        for (int x = 0; x < int(s.x); ++x) work(x, y, z, int((z * s.y + y) * s.x + x), place(x, y, z));
  };
  each([&](int x, int y, int z, int own, int at) {
    T& value = values[own];
    value = T(in[at] + in[kGuard + y]);
    value = T(value + in[place(int(s.x) - 1 - x, y, z)]);
    if (x < most_x && y < most_y) value = T(value + in[at + 1]);
    if (((x ^ y) & 1) != 0) value = T(value + in[at - 1]);
    if (y == most_y) value = T(value + in[kGuard + z * 7 + 2 * y]);
    tile[own] = value;
  });
  for (int round = 0; round < rounds; ++round) {
    each([&](int x, int, int z, int own, int) {
      values[own] = T(values[own] + tile[(own + round) % threads] * in[kGuard + z + round * kPitch + x * 3]);
    });
    next = tile;
    each([&](int x, int y, int z, int own, int) {
      if (x >= round) next[own] = T(values[own] + tile[(z * s.y + y) * s.x]);
    });
    tile = next;
  }
  each([&](int x, int y, int, int own, int at) {
    if (x + 2 * y != most_x) out[at] = values[own];
    if (y >= most_y) out[at] = T(out[at] + tile[own]);
  });
  return out;
}

template <class T> bool holds() {
  const size_t count = kGuard + size_t(3) * kRows * kPitch + kGuard;
  std::vector<T> input(count);
  uint32_t random = 7;
  for (T& v : input) v = T((random = random * 1664525u + 1013904223u) >> 20);
  T* in = nullptr;
  T* out = nullptr;
  CUDA(cudaMalloc(&in, count * sizeof(T)));
  CUDA(cudaMalloc(&out, count * sizeof(T)));
  CUDA(cudaMemcpy(in, input.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  for (const Shape& s : shapes) {
    for (const int most_x : {3, 11}) {
      const int most_y = int(s.y) / 2, rounds = 3;
      CUDA(cudaMemset(out, 0, count * sizeof(T)));
      pass<<<1, dim3(s.x, s.y, s.z)>>>(in, out, most_x, most_y, rounds);
      FINISH();
      std::vector<T> seen(count);
      CUDA(cudaMemcpy(seen.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
      const std::vector<T> right = expected(s, input, most_x, most_y, rounds);
      for (size_t i = 0; i < count; ++i) {
        if (seen[i] == right[i]) continue;
        std::printf("%zu bytes, block %u x %u x %u, at %zu\n", sizeof(T), s.x, s.y, s.z, i);
        return false;
      }
    }
  }
  CUDA(cudaFree(in));
  CUDA(cudaFree(out));
  return true;
}

// Vector loads and stores, and a function that is not inlined.
__device__ __noinline__ void scale(float4* to, const float4* from, int row) {
  float4 v = from[threadIdx.x];
  v.x *= float(row);
  v.w += v.y;
  to[threadIdx.x] = v;
}

__global__ void vectors(const float4* in, float4* out, int pitch) {
  const int row = threadIdx.z * blockDim.y + threadIdx.y;
  if (row % 3 != 2) scale(out + row * pitch, in + row * pitch, row);
}

// The index wraps around within a row, before it is widened to 64 bits.
__global__ void wrapping(const unsigned char* in, unsigned char* out, unsigned start) {
  const unsigned i = start + threadIdx.y * blockDim.x + threadIdx.x; // wraps within a row
  out[i % 4096] = in[size_t(i) % 4096];
}

} // namespace

CASE(narrow_rows, "rows of 2 to 48 threads: lines, steps, guards, barriers") {
  return holds<uint32_t>() && holds<uint64_t>() && holds<uint16_t>() && holds<unsigned char>();
}

CASE(narrow_vectors, "vectors of 16 bytes from rows of 8 and 16, in a function that is not inlined") {
  constexpr int kCount = 4096;
  std::vector<float4> input(kCount);
  for (int i = 0; i < kCount; ++i) input[i] = {float(i), float(i % 7), 1.0f, float(i % 5)};
  Buffer<float4> in(kCount), out(kCount);
  CUDA(cudaMemcpy(in.device(), input.data(), kCount * sizeof(float4), cudaMemcpyHostToDevice));
  for (const Shape& s : {Shape{16, 6, 2}, Shape{8, 9, 1}, Shape{24, 5, 1}}) {
    CUDA(cudaMemset(out.device(), 0, kCount * sizeof(float4)));
    vectors<<<1, dim3(s.x, s.y, s.z)>>>(in.device(), out.device(), 40);
    FINISH();
    const std::vector<float4>& seen = out.fetch();
    for (int row = 0; row < int(s.y * s.z); ++row) {
      for (int x = 0; x < int(s.x); ++x) {
        const float4 a = input[row * 40 + x], b = seen[row * 40 + x];
        const bool used = row % 3 != 2;
        EXPECT(b.x == (used ? a.x * float(row) : 0) && b.w == (used ? a.w + a.y : 0) && b.z == (used ? 1.0f : 0.0f));
      }
    }
  }
  return true;
}

CASE(narrow_wrapping, "indices of 32 bits that wrap around within a row") {
  std::vector<unsigned char> input(4096);
  for (int i = 0; i < 4096; ++i) input[i] = static_cast<unsigned char>(i * 31 + 5);
  Buffer<unsigned char> in(4096), out(4096);
  CUDA(cudaMemcpy(in.device(), input.data(), 4096, cudaMemcpyHostToDevice));
  for (const unsigned start : {0xffffffffu - 20, 0xffffffffu - 3, 100u}) {
    CUDA(cudaMemset(out.device(), 0, 4096));
    wrapping<<<1, dim3(16, 8)>>>(in.device(), out.device(), start);
    FINISH();
    const std::vector<unsigned char>& seen = out.fetch();
    for (unsigned i = 0; i < 128; ++i) EXPECT(seen[(start + i) % 4096] == input[(start + i) % 4096]);
  }
  return true;
}
