// Loops that the warps of a block walk in turns: grid strides, uneven lengths, breaks, barriers on the way; atomics on
// shared memory from such loops; tiles of blocks that are not a multiple of 32 wide.
#include "conformance.h"

#include <algorithm>
#include <cstdint>

namespace {

constexpr int kCount = 3001;

std::vector<int> input() {
  std::vector<int> values(kCount + 64);
  uint32_t x = 1;
  for (int& v : values) v = static_cast<int>((x = x * 1664525u + 1013904223u) >> 16);
  return values;
}

const int block_sizes[] = {1, 31, 32, 33, 100, 256, 257, 1024};

struct Thread {
  int index, block, blocks, threads;
};

__host__ __device__ unsigned uneven(const int* in, Thread t, int stop) {
  const int first = t.block * t.threads + t.index;
  unsigned sum = 0;
  for (int k = first; k < kCount; k += t.blocks * t.threads) sum += in[k];
  if (t.index >= stop) return sum + 1;
  for (int k = first; k < kCount; k += 7 * (1 + t.index % 3)) sum = sum * 3 + in[k];
  return sum;
}

__host__ __device__ unsigned nested(const int* in, Thread t) {
  unsigned sum = 0;
  for (int a = 0; a < 300; a += 1 + t.index % 5) {
    for (int b = a; b < 300; b += 16) {
      if (in[b] % 7 == 3) break;
      if (in[b] % 5 == 1) continue;
      sum += (in[b] ^ (in[b] >> 3)) * 31u + b;
    }
    if (sum % 97 == 13) break;
  }
  return sum;
}

__device__ Thread self() {
  return {static_cast<int>(threadIdx.x), static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
          static_cast<int>(blockDim.x)};
}

__global__ void run_uneven(const int* in, unsigned* out, int stop) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = uneven(in, self(), stop);
}

__global__ void run_nested(const int* in, unsigned* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = nested(in, self());
}

} // namespace

CASE(uneven_loops, "grid strides of uneven length, some threads leave in between") {
  const std::vector<int> host = input();
  Buffer<int> in(host);
  for (int threads : block_sizes)
    for (int stop : {0, 5, 40, 2000}) {
      Buffer<unsigned> out(3 * threads);
      run_uneven<<<3, threads>>>(in.device(), out.device(), stop);
      FINISH();
      const auto& got = out.fetch();
      for (int i = 0; i < 3 * threads; ++i)
        EXPECT(got[i] == uneven(host.data(), {i % threads, i / threads, 3, threads}, stop));
    }
  return true;
}

CASE(nested_breaks, "nested loops with break and continue") {
  const std::vector<int> host = input();
  Buffer<int> in(host);
  for (int threads : block_sizes) {
    Buffer<unsigned> out(threads);
    run_nested<<<1, threads>>>(in.device(), out.device());
    FINISH();
    const auto& got = out.fetch();
    for (int i = 0; i < threads; ++i) EXPECT(got[i] == nested(host.data(), {i, 0, 1, threads}));
  }
  return true;
}

__global__ void scan_of_sums(const int* in, unsigned* out) {
  __shared__ unsigned s[1024];
  const unsigned t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned k = t; k < kCount; k += blockDim.x) sum += in[k] * s[(t + k) % blockDim.x];
  __syncthreads();
  s[t] = sum;
  __syncthreads();
  for (unsigned width = 1; width < blockDim.x; width *= 2) {
    const unsigned left = t >= width ? s[t - width] : 0;
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  if (t / 32 % 2 == 0) // every other warp walks on its own
    for (int k = 0; k < kCount; k += 5) sum ^= in[k] + k;
  __syncthreads();
  out[t] = sum + s[(t + 1) % blockDim.x];
}

CASE(loops_between_barriers, "loops before, around and between barriers") {
  const std::vector<int> host = input();
  Buffer<int> in(host);
  for (int threads : block_sizes) {
    Buffer<unsigned> out(threads);
    scan_of_sums<<<1, threads>>>(in.device(), out.device());
    FINISH();
    std::vector<unsigned> sums(threads), scan(threads);
    for (int t = 0; t < threads; ++t)
      for (int k = t; k < kCount; k += threads) sums[t] += host[k] * ((t + k) % threads);
    for (int t = 0; t < threads; ++t) scan[t] = sums[t] + (t > 0 ? scan[t - 1] : 0);
    const auto& got = out.fetch();
    for (int t = 0; t < threads; ++t) {
      unsigned sum = sums[t];
      for (int k = 0; t / 32 % 2 == 0 && k < kCount; k += 5) sum ^= host[k] + k;
      EXPECT(got[t] == sum + scan[(t + 1) % threads]);
    }
  }
  return true;
}

__global__ void copy_bytes(const char* in, char* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

__global__ void copy_back(const int* in, int* out) {
  for (int i = kCount - 1 - int(blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= gridDim.x * blockDim.x)
    out[kCount - 1 - i] = in[i];
}

CASE(strided_copies, "grid-stride copies: bytes at odd addresses, and from the end") {
  const std::vector<int> host = input();
  Buffer<int> in(host);
  constexpr int bytes = 9001;
  const char* source = reinterpret_cast<const char*>(host.data()) + 3;
  for (int threads : block_sizes) {
    Buffer<char> copy(bytes + 2);
    Buffer<int> back(kCount);
    copy_bytes<<<2, threads>>>(reinterpret_cast<char*>(in.device()) + 3, copy.device() + 1, bytes);
    copy_back<<<2, threads>>>(in.device(), back.device());
    FINISH();
    const auto& copied = copy.fetch();
    EXPECT(copied[0] == 0 && copied[bytes + 1] == 0);
    for (int i = 0; i < bytes; ++i) EXPECT(copied[i + 1] == static_cast<char>(source[i] + 1));
    const auto& reversed = back.fetch();
    for (int i = 0; i < kCount; ++i) EXPECT(reversed[i] == host[kCount - 1 - i]);
  }
  return true;
}

struct Totals {
  unsigned bins[64];
  unsigned long long wide[8];
  int least, most, any, all, last;
};

__global__ void collect(const int* in, Totals* out) {
  __shared__ Totals t;
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) t.bins[i] = 0;
  for (unsigned i = threadIdx.x; i < 8; i += blockDim.x) t.wide[i] = 0;
  if (threadIdx.x == 0) {
    t.least = 1 << 30;
    t.most = t.any = t.last = 0;
    t.all = -1;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) {
    const unsigned before = atomicAdd(&t.bins[in[i] & 63], 2);
    if (before % 2 != 0) atomicExch(&t.last, 1); // never
    atomicAdd(&t.wide[in[i] & 7], static_cast<unsigned long long>(in[i]) << 28);
    atomicMin(&t.least, in[i]);
    atomicMax(&t.most, in[i]);
    atomicOr(&t.any, in[i]);
    atomicAnd(&t.all, in[i] | 1);
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) *out = t;
}

CASE(shared_atomics, "atomics on shared memory from whole and partial warps") {
  const std::vector<int> host = input();
  Buffer<int> in(host);
  Totals expected{};
  expected.least = 1 << 30;
  expected.all = -1;
  for (int i = 0; i < kCount; ++i) {
    expected.bins[host[i] & 63] += 2;
    expected.wide[host[i] & 7] += static_cast<unsigned long long>(host[i]) << 28;
    expected.least = std::min(expected.least, host[i]);
    expected.most = std::max(expected.most, host[i]);
    expected.any |= host[i];
    expected.all &= host[i] | 1;
  }
  for (int threads : block_sizes) {
    Buffer<Totals> out(1);
    collect<<<1, threads>>>(in.device(), out.device());
    FINISH();
    const Totals& got = out.fetch()[0];
    EXPECT(std::equal(got.bins, got.bins + 64, expected.bins) && std::equal(got.wide, got.wide + 8, expected.wide));
    EXPECT(got.least == expected.least && got.most == expected.most && got.any == expected.any);
    EXPECT(got.all == expected.all && got.last == 0);
  }
  return true;
}

template <typename T, int Width> __global__ void square(const int* in, T* out, int side) {
  __shared__ T tile[Width][Width];
  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Width + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < side && y < side ? in[y * side + x] : 0;
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < Width; ++k) sum += tile[threadIdx.y][k] * tile[k][threadIdx.x];
  if (x < side && y < side) out[y * side + x] = sum;
}

template <typename T, int Width> static bool square_holds() {
  constexpr int side = 45;
  const std::vector<int> host = input();
  auto at = [&](int y, int x) -> T { return x < side && y < side ? host[y * side + x] : 0; };
  Buffer<int> in(host);
  Buffer<T> out(side * side);
  constexpr int blocks = (side + Width - 1) / Width;
  square<T, Width><<<dim3(blocks, blocks), dim3(Width, Width)>>>(in.device(), out.device(), side);
  FINISH();
  const auto& got = out.fetch();
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      T sum = 0;
      for (int k = 0; k < Width; ++k) sum += at(y, x / Width * Width + k) * at(y / Width * Width + k, x);
      EXPECT(got[y * side + x] == sum);
    }
  return true;
}

CASE(square_tiles, "tiles of blocks 4, 8, 10, 16, 24 and 32 threads wide") {
  return square_holds<unsigned, 4>() && square_holds<unsigned, 8>() && square_holds<unsigned, 10>() &&
         square_holds<unsigned, 16>() && square_holds<unsigned, 24>() && square_holds<unsigned, 32>() &&
         square_holds<uint64_t, 8>() && square_holds<uint64_t, 16>() && square_holds<uint64_t, 12>();
}
