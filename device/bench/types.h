// The sample types of the benchmark and the levels between which their values lie.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace bench {

template <class T> struct Levels {
  using type = T;
  static constexpr double upper = 1.0;
  static constexpr bool floating = true;
  static constexpr uint64_t most_bins = 1ull << 24;
};
template <> struct Levels<__half> {
  using type = float;
  static constexpr double upper = 1.0;
  static constexpr bool floating = true;
  static constexpr uint64_t most_bins = 2048;
};
template <> struct Levels<__nv_bfloat16> {
  using type = float;
  static constexpr double upper = 1.0;
  static constexpr bool floating = true;
  static constexpr uint64_t most_bins = 1024; // though only 256 values lie in the upper half
};
template <class T, int bits> struct IntegerLevels {
  using type = T;
  static constexpr double upper = static_cast<double>(1ull << bits);
  static constexpr bool floating = false;
  static constexpr uint64_t most_bins = 1ull << (bits < 24 ? bits : 24);
};
template <> struct Levels<uint8_t> : IntegerLevels<int, 8> {};
template <> struct Levels<uint16_t> : IntegerLevels<int, 16> {};
template <> struct Levels<uint32_t> : IntegerLevels<uint32_t, 31> {};
template <> struct Levels<int32_t> : IntegerLevels<int32_t, 30> {};
template <> struct Levels<uint64_t> : IntegerLevels<uint64_t, 36> {};

} // namespace bench
