// What `--launch` says: which kernel of a .ptx file to start, in what shape, with what arguments.
//
//   scale<<<4,256>>>(zeros:4K, 1024, 2.5)
//   hist<<<8x8,16x16,2048>>>(file:in.bin, out:counts.bin:1K, -1)
//
// Grid and block are N, NxN or NxNxN; then, if needed, the bytes of dynamic shared memory. An argument is
//   a number        of the parameter's own width; with a point or an exponent a float or a double
//   zeros:BYTES     the address of so much device memory, zeroed; K, M and G stand for 2^10, 2^20, 2^30
//   random:BYTES    the same, filled with pseudo-random bytes that are the same in each run
//   file:PATH       the same, with a file's bytes
//   out:PATH:BYTES  zeroed device memory that is written to a file when the kernel has ended
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::cli {

struct LaunchArgument {
  enum class Kind : uint8_t { Integer, Real, Zeros, Random, File, Out } kind = Kind::Integer;
  uint64_t integer = 0; // two's complement
  double real = 0;
  uint64_t bytes = 0;
  std::string path;
  std::string text; // as it was written
};

struct LaunchText {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint64_t shared = 0;
  std::vector<LaunchArgument> arguments;
};

Result<LaunchText> parse_launch(std::string_view text);

} // namespace tollgate::cli
