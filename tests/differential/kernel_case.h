// One kernel with its launch shape and memory: what the fuzzer compares, and what is kept as a regression (the shape
// stands in comments at the head of the PTX).
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tollgate::differential {

struct KernelCase {
  uint64_t seed = 0;
  std::string ptx; // one kernel "k" (in, out, sums, n); `in` points into the middle of the input
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t out_bytes = 0;
};

constexpr uint32_t kInputBytes = 128 * 1024;
constexpr uint32_t kSumsBytes = 256;

// The contents of the buffers before the launch; the input depends on the seed.
std::vector<uint8_t> input_of(const KernelCase& kernel);
std::vector<uint8_t> sums_of(const KernelCase& kernel);
constexpr uint32_t kParamN = 7;

// "// shape: seed grid x y z block x y z out bytes" before the PTX.
std::string to_text(const KernelCase& kernel);
Result<KernelCase> from_text(const std::string& text);

} // namespace tollgate::differential
