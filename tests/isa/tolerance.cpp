#include "tolerance.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

namespace tollgate::test {
namespace {

enum class Format { F32, F64, F16, BF16 };
enum class Measure { Relative, Absolute, Ulp };

// An answer within `error` of the exact one. Two such answers differ by no more than twice as much.
struct Bound {
  std::string_view instruction; // without .ftz
  Format format;
  Measure measure;
  double error;
};

// PTX ISA 9.7.3 and 9.7.4. The manual bounds no error of the f64 forms ("gross approximation"): they return the upper
// 32 bits, of which 20 are mantissa.
const Bound bounds[] = {
    {"div.approx.f32", Format::F32, Measure::Ulp, 2},
    {"div.full.f32", Format::F32, Measure::Ulp, 2},
    {"rcp.approx.f32", Format::F32, Measure::Ulp, 1},
    {"rcp.approx.f64", Format::F64, Measure::Relative, 0x1p-20},
    {"sqrt.approx.f32", Format::F32, Measure::Relative, 0x1p-23},
    {"rsqrt.approx.f32", Format::F32, Measure::Relative, 0x1.12p-23}, // 2^-22.9
    {"rsqrt.approx.f64", Format::F64, Measure::Relative, 0x1p-20},
    {"sin.approx.f32", Format::F32, Measure::Absolute, 0x1.6ap-21}, // 2^-20.5 inside [-2 pi, 2 pi]
    {"cos.approx.f32", Format::F32, Measure::Absolute, 0x1.6ap-21},
    {"lg2.approx.f32", Format::F32, Measure::Relative, 0x1p-22}, // absolute for inputs in (1/2, 2)
    {"ex2.approx.f32", Format::F32, Measure::Relative, 0x1p-22},
    {"ex2.approx.f16", Format::F16, Measure::Relative, 0x1.12p-10}, // 2^-9.9
    {"ex2.approx.f16x2", Format::F16, Measure::Relative, 0x1.12p-10},
    {"ex2.approx.bf16", Format::BF16, Measure::Relative, 0x1p-7},
    {"ex2.approx.bf16x2", Format::BF16, Measure::Relative, 0x1p-7},
    {"tanh.approx.f32", Format::F32, Measure::Relative, 0x1p-11},
    {"tanh.approx.f16", Format::F16, Measure::Absolute, 0x1.02p-11}, // 2^-10.987
    {"tanh.approx.f16x2", Format::F16, Measure::Absolute, 0x1.02p-11},
    {"tanh.approx.bf16", Format::BF16, Measure::Absolute, 0x1p-8},
    {"tanh.approx.bf16x2", Format::BF16, Measure::Absolute, 0x1p-8},
};

double half_value(uint64_t bits) {
  const int exponent = int(bits >> 10 & 31);
  const double fraction = double(bits & 1023);
  double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(fraction, -24)
                                : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double value_of(uint64_t bits, Format format) {
  switch (format) {
  case Format::F64: return std::bit_cast<double>(bits);
  case Format::F32: return std::bit_cast<float>(uint32_t(bits));
  case Format::BF16: return std::bit_cast<float>(uint32_t(bits << 16));
  case Format::F16: break;
  }
  return half_value(bits);
}

bool close(const Bound& bound, double input, uint64_t ours, uint64_t golden) {
  if (ours == golden) return true;
  const double x = value_of(ours, bound.format), y = value_of(golden, bound.format);
  if (!std::isfinite(x) || !std::isfinite(y)) return false; // zero against a subnormal is a matter of .ftz
  const double size = std::max(std::fabs(x), std::fabs(y)), difference = std::fabs(x - y);
  // What the exact answer rounds to adds a subnormal step to each side.
  const double step = bound.format == Format::F32 ? 0x1p-149 : 0;
  if (bound.instruction.starts_with("sin") || bound.instruction.starts_with("cos")) {
    if (std::fabs(input) > 314.0) return size <= 1.0;                 // no bound
    if (std::fabs(input) > 6.28) return difference <= 2 * 0x1.3ap-15; // 2^-14.7 inside [-100 pi, 100 pi]
  }
  if (bound.instruction.starts_with("lg2") && input > 0.5 && input < 2) return difference <= 2 * bound.error;
  switch (bound.measure) {
  case Measure::Absolute: return difference <= 2 * bound.error;
  case Measure::Relative: return difference <= 2 * bound.error * size + 2 * step;
  case Measure::Ulp: break;
  }
  return std::llabs(int64_t(int32_t(ours)) - int64_t(int32_t(golden))) <= int64_t(2 * bound.error);
}

} // namespace

bool within_tolerance(std::string_view instruction, const uint64_t* inputs, uint64_t ours, uint64_t golden) {
  if (ours == golden) return true;
  std::string name(instruction.substr(0, instruction.find(' ')));
  if (const size_t ftz = name.find(".ftz"); ftz != std::string::npos) name.erase(ftz, 4);
  for (const Bound& bound : bounds) {
    if (bound.instruction != name) continue;
    if (!name.ends_with("x2")) return close(bound, value_of(inputs[0], bound.format), ours, golden);
    return close(bound, value_of(inputs[0] & 0xffff, bound.format), ours & 0xffff, golden & 0xffff) &&
           close(bound, value_of(inputs[0] >> 16 & 0xffff, bound.format), ours >> 16, golden >> 16);
  }
  return false;
}

} // namespace tollgate::test
