// PTX ISA 9.7.1.17, fns: the position of the n-th set bit of a mask, counted from `base` up (offset > 0) or down.
#include "rtlib/twins.h"

#include <cstdint>

namespace tollgate::rtlib {
namespace {

inline uint32_t fns_b32(uint32_t mask, uint32_t base, int32_t offset) {
  constexpr uint32_t none = 0xffffffffu;
  if (offset == INT32_MIN) return 0; // an H200's answer, whatever the base
  if (base > 31) return none;
  if (offset == 0) return (mask >> base) & 1 ? base : none;
  const int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? int64_t{offset} : -int64_t{offset};
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step)
    if ((mask >> position) & 1 && --left == 0) return static_cast<uint32_t>(position);
  return none;
}

const Function rows[] = {row<fns_b32>("fns_b32")};

} // namespace

std::span<const Function> bit_functions() { return rows; }

} // namespace tollgate::rtlib
