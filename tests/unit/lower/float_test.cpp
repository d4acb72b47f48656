// f32, f64, half-precision arithmetic and cvt against soft_float, which rounds exact integers.
#include "lowered_instruction.h"
#include "samples.h"
#include "soft_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <string>

namespace tollgate::test {
namespace {

struct NamedMode {
  const char* suffix;
  Mode mode;
  int fenv;
};
constexpr NamedMode rounding_modes[] = {{"rn", Mode::Nearest, FE_TONEAREST},
                                        {"rz", Mode::Zero, FE_TOWARDZERO},
                                        {"rm", Mode::Down, FE_DOWNWARD},
                                        {"rp", Mode::Up, FE_UPWARD}};
struct NamedFormat {
  const char* name;
  Format format;
};
constexpr NamedFormat formats[] = {{"f16", f16}, {"bf16", bf16}, {"f32", f32}, {"f64", f64}};

std::vector<uint64_t> samples(const Format& format, unsigned count = 24) {
  return float_samples(format.width, format.mantissa, count);
}

uint64_t flush(uint64_t bits, const Format& format) { return bits & format.infinity() ? bits : bits & format.sign(); }
// Rounds with a wider exponent first: below the least normal number the result is zero.
uint64_t encode_flushed(const Exact& value, const Format& format, Mode mode = Mode::Nearest) {
  const Format unbounded{format.width + 2, format.mantissa};
  const uint64_t wide = encode(value, unbounded, mode);
  const uint64_t least_normal = static_cast<uint64_t>(unbounded.bias() - format.bias() + 1) << format.mantissa;
  const bool tiny = (wide & (unbounded.sign() - 1)) < least_normal;
  return tiny ? (wide & unbounded.sign() ? format.sign() : 0) : encode(value, format, mode);
}
// The payload of an f64 NaN is the host's; every other format has one NaN.
bool same(uint64_t got, uint64_t expected, const Format& format) {
  return got == expected || (format.width == 64 && format.is_nan(got) && format.is_nan(expected));
}
uint64_t saturated(uint64_t bits, const Format& format) {
  const uint64_t one = static_cast<uint64_t>(format.bias()) << format.mantissa;
  if (format.is_nan(bits) || bits & format.sign()) return 0;
  return bits > one ? one : bits;
}
uint64_t relu(uint64_t bits, const Format& format) { return format.is_nan(bits) || !(bits & format.sign()) ? bits : 0; }

Exact sum(uint64_t a, uint64_t b, const Format& f, Mode m) { return add(decode(a, f), decode(b, f), m); }

void check_arithmetic(const NamedFormat& n, const NamedMode& m) {
  const Format& f = n.format;
  const std::string tail = std::string(".") + m.suffix + "." + n.name;
  const LoweredInstruction plus("add" + tail + " d, a, b"), minus("sub" + tail + " d, a, b"),
      times("mul" + tail + " d, a, b"), fused("fma" + tail + " d, a, b, c");
  const auto values = samples(f);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values.size(); ++j) {
      const uint64_t a = values[i], b = values[j], c = values[(i * 31 + j * 17) % values.size()];
      ASSERT_TRUE(same(plus({a, b}), encode(sum(a, b, f, m.mode), f, m.mode), f))
          << tail << std::hex << " add " << a << " " << b << " " << plus({a, b});
      ASSERT_TRUE(same(minus({a, b}), encode(sum(a, b ^ f.sign(), f, m.mode), f, m.mode), f))
          << tail << std::hex << " sub " << a << " " << b;
      const Exact product = multiply(decode(a, f), decode(b, f));
      ASSERT_TRUE(same(times({a, b}), encode(product, f, m.mode), f))
          << tail << std::hex << " mul " << a << " " << b << " " << times({a, b});
      const Exact total = add(product, decode(c, f), m.mode);
      ASSERT_TRUE(same(fused({a, b, c}), encode(total, f, m.mode), f))
          << tail << std::hex << " fma " << a << " " << b << " " << c << " " << fused({a, b, c});
    }
}

TEST(Float, EveryRoundingModeF32F64) {
  for (const NamedMode& m : rounding_modes) {
    check_arithmetic({"f32", f32}, m);
    check_arithmetic({"f64", f64}, m);
  }
}

TEST(Half, NearestF16BF16) {
  check_arithmetic({"f16", f16}, rounding_modes[0]);
  check_arithmetic({"bf16", bf16}, rounding_modes[0]);
}

// Products of halves close to a tie, with addends of every size: double rounding would show here.
TEST(Half, FmaNearTies) {
  for (const NamedFormat& n : {NamedFormat{"f16", f16}, NamedFormat{"bf16", bf16}}) {
    const LoweredInstruction fused(std::string("fma.rn.") + n.name + " d, a, b, c");
    std::mt19937_64 random(5);
    const Format& f = n.format;
    for (int i = 0; i < 60000; ++i) {
      const uint64_t one = static_cast<uint64_t>(f.bias()) << f.mantissa;
      const uint64_t a = one + random() % 64 * (random() % 17), b = one + random() % 32;
      const uint64_t c = random() & 0xffff;
      ASSERT_EQ(fused({a, b, c}), encode(add(multiply(decode(a, f), decode(b, f)), decode(c, f)), f))
          << n.name << std::hex << " " << a << " " << b << " " << c;
    }
  }
}

TEST(Half, ModifiersAndPacking) {
  const LoweredInstruction sat("fma.rn.sat.f16 d, a, b, c"), ftz("fma.rn.ftz.f16 d, a, b, c"),
      rel("fma.rn.relu.bf16 d, a, b, c"), packed("fma.rn.f16x2 d, a, b, c"), packed_add("add.rn.bf16x2 d, a, b");
  const auto fma_of = [](uint64_t a, uint64_t b, uint64_t c, const Format& f) {
    return encode(add(multiply(decode(a, f), decode(b, f)), decode(c, f)), f);
  };
  const auto values = samples(f16), wide = samples(bf16);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values.size(); ++j) {
      const size_t k = (i * 7 + j * 3) % values.size();
      const uint64_t a = values[i], b = values[j], c = values[k];
      ASSERT_EQ(sat({a, b, c}), saturated(fma_of(a, b, c, f16), f16));
      const Exact total =
          add(multiply(decode(flush(a, f16), f16), decode(flush(b, f16), f16)), decode(flush(c, f16), f16));
      ASSERT_EQ(ftz({a, b, c}), encode_flushed(total, f16));
      ASSERT_EQ(rel({wide[i], wide[j], wide[k]}), relu(fma_of(wide[i], wide[j], wide[k], bf16), bf16));
      ASSERT_EQ(packed({a | b << 16, b | c << 16, c | a << 16}), fma_of(a, b, c, f16) | fma_of(b, c, a, f16) << 16);
      ASSERT_EQ(packed_add({wide[i] | wide[j] << 16, wide[k] | wide[i] << 16}),
                encode(sum(wide[i], wide[k], bf16, Mode::Nearest), bf16) |
                    encode(sum(wide[j], wide[i], bf16, Mode::Nearest), bf16) << 16);
    }
}

TEST(Float, FlushAndSaturate) {
  const LoweredInstruction ftz("fma.rn.ftz.f32 d, a, b, c"), sat("add.sat.f32 d, a, b"),
      both("mul.ftz.sat.f32 d, a, b");
  const auto values = samples(f32);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values.size(); ++j) {
      const uint64_t a = values[i], b = values[j], c = values[(i + 5 * j) % values.size()];
      const Exact x = decode(flush(a, f32), f32), y = decode(flush(b, f32), f32);
      ASSERT_EQ(ftz({a, b, c}), encode_flushed(add(multiply(x, y), decode(flush(c, f32), f32)), f32))
          << std::hex << a << " " << b << " " << c;
      ASSERT_EQ(sat({a, b}), saturated(encode(sum(a, b, f32, Mode::Nearest), f32), f32));
      ASSERT_EQ(both({a, b}), saturated(encode_flushed(multiply(x, y), f32), f32));
    }
}

// At the edge of the normal numbers, as an H200 answered.
TEST(Float, FlushingLooksBeforeTheLastRounding) {
  EXPECT_EQ(LoweredInstruction("mul.ftz.f32 d, a, b")({0x00ffffff, 0x3f000000}), 0u);
  EXPECT_EQ(LoweredInstruction("mul.f32 d, a, b")({0x00ffffff, 0x3f000000}), 0x00800000u);
  EXPECT_EQ(LoweredInstruction("div.rn.ftz.f32 d, a, b")({0x00ffffff, 0x40000000}), 0u);
  const LoweredInstruction fma("fma.rn.ftz.f32 d, a, b, c"), cvt("cvt.rn.ftz.f32.f64 d, a");
  EXPECT_EQ(fma({0x0d800000, 0xa5800000, 0x00800000}), 0x00800000u);
  EXPECT_EQ(fma({0x0d800000, 0xa6800000, 0x00800000}), 0u);
  const uint64_t least = uint64_t{0x381} << 52;
  EXPECT_EQ(cvt({least - (1 << 28)}), 0x00800000u);
  EXPECT_EQ(cvt({least - (1 << 29)}), 0u);
  EXPECT_EQ(LoweredInstruction("mul.ftz.f16 d, a, b")({0x07ff, 0x3800}), 0u);
}

// What an H200 makes of NaNs.
TEST(Float, NaNsOfTheHardware) {
  struct Row {
    const char* text;
    uint64_t in, out;
  };
  const Row rows[] = {{"abs.f32", 0xffc00001, 0x7fffffff},
                      {"neg.f32", 0x7f800001, 0x7fffffff},
                      {"abs.f16", 0x7c01, 0x7fff},
                      {"neg.bf16", 0xff81, 0x7fff},
                      {"neg.f64", 0xfff8000000000000, 0xfff8000000000000},
                      {"abs.f64", 0xfff0000000000001, 0xfff8000000000001},
                      {"cvt.rna.tf32.f32", 0xffc00001, 0xffc00000},
                      {"cvt.rna.tf32.f32", 0xffffffff, 0xffffe000},
                      {"cvt.rn.tf32.f32", 0xffc00001, 0x7fffe000},
                      {"cvt.rna.satfinite.tf32.f32", 0xffc00001, 0xffbfe000},
                      {"cvt.rna.satfinite.tf32.f32", 0x7f800000, 0x7f7fe000},
                      {"cvt.f64.f32", 0xffc00001, 0xfff8000020000000},
                      {"cvt.f64.f32", 0x7f800001, 0x7ff8000020000000},
                      {"cvt.rn.f32.f64", 0xfff8000000000000, 0xffc00000},
                      {"cvt.f32.f16", 0xfe01, 0x7fffffff},
                      {"cvt.f32.bf16", 0xffc1, 0xffc10000},
                      {"cvt.f64.f16", 0x7c01, 0x7ff8040000000000},
                      {"cvt.rni.f16.f16", 0xffc1, 0x7fff},
                      {"cvt.sat.f16.f16", 0xffc1, 0},
                      {"cvt.rn.f16.f64", 0xfff8000000000001, 0xfe00},
                      {"cvt.rn.bf16.f64", 0xfff8000000000001, 0xffc0},
                      {"cvt.rn.satfinite.bf16.f32", 0xffc00001, 0x7fff},
                      {"rcp.approx.ftz.f64", 0xfff8000000000001, 0x7fffffff00000000},
                      {"rcp.approx.ftz.f64", 1, 0x7ff0000000000000}};
  for (const Row& row : rows)
    EXPECT_EQ(LoweredInstruction(std::string(row.text) + " d, a")({row.in}), row.out)
        << row.text << std::hex << " " << row.in;
}

// Division and square root: the host's own instructions under the C library's rounding modes.
template <typename T> void check_division(const NamedFormat& n) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const auto value = [](uint64_t bits) { return std::bit_cast<T>(static_cast<Bits>(bits)); };
  for (const NamedMode& m : rounding_modes) {
    const std::string tail = std::string(".") + m.suffix + "." + n.name;
    const LoweredInstruction div("div" + tail + " d, a, b"), rcp("rcp" + tail + " d, a"), sqrt("sqrt" + tail + " d, a");
    for (uint64_t a : samples(n.format)) {
      volatile T x = value(a), one = 1, quotient, root, inverse;
      fesetround(m.fenv);
      root = std::sqrt(x);
      inverse = one / x;
      fesetround(FE_TONEAREST);
      const auto canonical = [&](T v) { return v != v ? n.format.sign() - 1 : uint64_t{std::bit_cast<Bits>(v)}; };
      ASSERT_TRUE(same(sqrt({a}), canonical(root), n.format)) << tail << std::hex << a;
      ASSERT_TRUE(same(rcp({a}), canonical(inverse), n.format)) << tail << std::hex << a;
      for (uint64_t b : samples(n.format, 6)) {
        volatile T y = value(b);
        fesetround(m.fenv);
        quotient = x / y;
        fesetround(FE_TONEAREST);
        ASSERT_TRUE(same(div({a, b}), canonical(quotient), n.format)) << tail << std::hex << a << " " << b;
      }
    }
  }
}
TEST(Float, DivisionAndRoots) {
  check_division<float>({"f32", f32});
  check_division<double>({"f64", f64});
}

uint64_t expected_min_max(uint64_t a, uint64_t b, const Format& f, bool is_max, bool nan, bool xorsign) {
  uint64_t sign = 0;
  if (xorsign) {
    sign = (a ^ b) & f.sign();
    a &= f.sign() - 1;
    b &= f.sign() - 1;
  }
  const uint64_t canonical = f.sign() - 1;
  if (f.is_nan(a) || f.is_nan(b)) {
    if (nan || (f.is_nan(a) && f.is_nan(b))) return canonical;
    return (f.is_nan(a) ? b : a) | sign;
  }
  const auto order = [&](uint64_t v) {
    return v & f.sign() ? -static_cast<int64_t>(v & (f.sign() - 1)) - 1 : static_cast<int64_t>(v);
  };
  const bool a_less = order(a) < order(b);
  return (a_less != is_max ? a : b) | sign;
}

TEST(Float, MinMax) {
  for (const NamedFormat& n : formats)
    for (bool is_max : {false, true})
      for (bool nan : {false, true})
        for (bool xorsign : {false, true}) {
          if (n.format.width == 64 && (nan || xorsign)) continue;
          const std::string name = std::string(is_max ? "max" : "min") + (nan ? ".NaN" : "") +
                                   (xorsign ? ".xorsign.abs" : "") + "." + n.name;
          const LoweredInstruction run(name + " d, a, b");
          for (uint64_t a : samples(n.format, 6))
            for (uint64_t b : samples(n.format, 6))
              ASSERT_TRUE(same(run({a, b}), expected_min_max(a, b, n.format, is_max, nan, xorsign), n.format))
                  << name << std::hex << " " << a << " " << b << " " << run({a, b});
        }
}

TEST(Float, SignsAndTests) {
  for (const NamedFormat& n : formats) {
    const LoweredInstruction abs(std::string("abs.") + n.name + " d, a"), neg(std::string("neg.") + n.name + " d, a");
    for (uint64_t a : samples(n.format)) {
      if (n.format.is_nan(a)) continue;
      ASSERT_EQ(abs({a}), a & (n.format.sign() - 1));
      ASSERT_EQ(neg({a}), a ^ n.format.sign());
    }
  }
  for (const NamedFormat& n : {NamedFormat{"f32", f32}, NamedFormat{"f64", f64}}) {
    const auto test = [&](const char* what) {
      return LoweredInstruction(std::string("testp.") + what + "." + n.name + " d, a");
    };
    const auto finite = test("finite"), infinite = test("infinite"), number = test("number"), nan = test("notanumber"),
               normal = test("normal"), subnormal = test("subnormal");
    const LoweredInstruction copysign(std::string("copysign.") + n.name + " d, a, b");
    for (uint64_t a : samples(n.format)) {
      const bool is_finite = !n.format.is_nan(a) && !n.format.is_inf(a), has_exponent = a & n.format.infinity();
      ASSERT_EQ(finite({a}), is_finite);
      ASSERT_EQ(infinite({a}), n.format.is_inf(a));
      ASSERT_EQ(number({a}), !n.format.is_nan(a));
      ASSERT_EQ(nan({a}), n.format.is_nan(a));
      ASSERT_EQ(normal({a}),
                is_finite && (has_exponent || (a & (n.format.sign() - 1)) == 0)); // zero counts, as on an H200
      ASSERT_EQ(subnormal({a}), !has_exponent && (a & (n.format.sign() - 1)) != 0);
      ASSERT_EQ(copysign({a, 5}), 5 | (a & n.format.sign()));
    }
  }
}

TEST(Float, MixedPrecision) {
  const LoweredInstruction plus("add.f32.f16 d, a, b"), minus("sub.rz.f32.bf16 d, a, b"),
      fused("fma.rn.f32.f16 d, a, b, c");
  for (uint64_t a : samples(f16, 6))
    for (uint64_t c : samples(f32, 6)) {
      ASSERT_EQ(plus({a, c}), encode(add(decode(a, f16), decode(c, f32)), f32));
      ASSERT_EQ(minus({a, c}), encode(add(decode(a, bf16), negate(decode(c, f32)), Mode::Zero), f32, Mode::Zero));
      ASSERT_EQ(fused({a, 0x3e01, c}), encode(add(multiply(decode(a, f16), decode(0x3e01, f16)), decode(c, f32)), f32));
    }
}

double as_double(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

// The .approx functions: within the manual's error, and its tables of special values.
TEST(Approximate, WithinTheManualsError) {
  struct Function {
    const char* name;
    double (*exact)(double);
    double low, high, relative, absolute;
  };
  const Function functions[] = {
      {"ex2.approx.f32", std::exp2, -140, 127, 0x1p-22, 0x1p-149},
      {"lg2.approx.f32", std::log2, 0x1p-148, 0x1p127, 0x1p-22, 0x1p-22},
      {"sin.approx.f32", std::sin, -6.3, 6.3, 0, 0x1p-20},
      {"cos.approx.f32", std::cos, -6.3, 6.3, 0, 0x1p-20},
      {"sin.approx.f32", std::sin, -10000, 10000, 0, 0x1p-20},
      {"tanh.approx.f32", std::tanh, -20, 20, 0x1p-11, 0},
      {"rcp.approx.f32", [](double x) { return 1 / x; }, -100, 100, 0x1p-23, 0x1p-149},
      {"sqrt.approx.f32", std::sqrt, 0, 1e30, 0x1p-22, 0},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 1e-30, 1e30, 0x1p-22, 0}};
  std::mt19937 random(3);
  for (const Function& f : functions) {
    const LoweredInstruction run(std::string(f.name) + " d, a");
    for (int i = 0; i < 20000; ++i) {
      std::uniform_real_distribution<double> uniform(0, 1);
      const double at = uniform(random), scale = i % 2 ? 1 : std::exp2(-30 * uniform(random));
      const auto x = static_cast<float>(f.low >= 0 ? f.low + (f.high - f.low) * at * scale
                                                   : (f.low + (f.high - f.low) * at) * scale);
      const double got = as_double(run({std::bit_cast<uint32_t>(x)})), exact = f.exact(static_cast<double>(x));
      ASSERT_LE(std::fabs(got - exact), f.relative * std::fabs(exact) + f.absolute) << f.name << " of " << x;
    }
  }
}

TEST(Approximate, SpecialValues) {
  const uint64_t inf = 0x7f800000, minus = 0x80000000, nan = 0x7fffffff, one = 0x3f800000, tiny = 1;
  struct Row {
    const char* text;
    uint64_t in, out;
  };
  const Row rows[] = {{"ex2.approx.f32", inf | minus, 0},
                      {"ex2.approx.f32", inf, inf},
                      {"ex2.approx.f32", 0, one},
                      {"ex2.approx.f32", minus | tiny, one},
                      {"ex2.approx.f32", 0x7fc00001, nan},
                      {"ex2.approx.ftz.f32", 0xc3000000, 0}, // 2^-128
                      {"ex2.approx.f32", 0xc3000000, 0x00200000},
                      {"lg2.approx.f32", 0, inf | minus},
                      {"lg2.approx.f32", minus, inf | minus},
                      {"lg2.approx.f32", inf, inf},
                      {"lg2.approx.f32", minus | one, nan},
                      {"lg2.approx.ftz.f32", tiny, inf | minus},
                      {"lg2.approx.f32", tiny, 0xc3150000},
                      {"lg2.approx.f32", one, 0},
                      {"lg2.approx.f32", inf | minus, nan},
                      {"sin.approx.f32", minus, minus},
                      {"sin.approx.f32", inf, nan},
                      {"cos.approx.f32", minus, one},
                      {"cos.approx.f32", inf | minus, nan},
                      {"sin.approx.ftz.f32", minus | tiny, minus},
                      {"tanh.approx.f32", inf, one},
                      {"tanh.approx.f32", inf | minus, minus | one},
                      {"tanh.approx.f32", minus, minus},
                      {"tanh.approx.f32", 0xffc00000, nan},
                      {"rcp.approx.f32", minus, inf | minus},
                      {"rcp.approx.ftz.f32", tiny, inf},
                      {"rcp.approx.f32", inf | minus, minus},
                      {"rsqrt.approx.f32", minus, inf | minus},
                      {"rsqrt.approx.f32", inf, 0},
                      {"rsqrt.approx.f32", minus | one, nan},
                      {"sqrt.approx.f32", minus, minus},
                      {"sqrt.approx.f32", minus | one, nan},
                      {"sqrt.approx.ftz.f32", minus | tiny, minus}};
  for (const Row& row : rows)
    EXPECT_EQ(LoweredInstruction(std::string(row.text) + " d, a")({row.in}), row.out)
        << row.text << std::hex << " " << row.in;
  const LoweredInstruction div("div.approx.f32 d, a, b");
  EXPECT_EQ(div({one, 0x7f000000}), 0u) << "the reciprocal of 2^127 counts as 0";
  EXPECT_EQ(div({inf, 0x7f000000}), nan);
  EXPECT_EQ(div({0x40c00000, 0x40000000}), 0x40400000u);
}

// cvt between float formats, in every rounding mode.
TEST(Convert, FloatToFloat) {
  for (const NamedFormat& to : formats)
    for (const NamedFormat& from : formats) {
      if (std::string_view(to.name) == from.name) continue;
      for (const NamedMode& m : rounding_modes) {
        const LoweredInstruction run(std::string("cvt.") + m.suffix + "." + to.name + "." + from.name + " d, a");
        auto values = samples(from.format, 300);
        for (uint64_t v : samples(to.format, 100))
          values.push_back(encode(decode(v, to.format), from.format)); // exact and near-tie values
        const size_t count = values.size();
        for (size_t i = 0; i < count; ++i) values.push_back(values[i] ^ 1);
        for (uint64_t a : values)
          ASSERT_TRUE(from.format.is_nan(a) ||
                      same(run({a}), encode(decode(a, from.format), to.format, m.mode), to.format))
              << "cvt." << m.suffix << "." << to.name << "." << from.name << std::hex << " " << a << " " << run({a});
      }
    }
}

TEST(Convert, IntegerToFloat) {
  for (const NamedFormat& to : formats)
    for (unsigned width : {8u, 16u, 32u, 64u})
      for (bool is_signed : {false, true})
        for (const NamedMode& m : rounding_modes) {
          const std::string text =
              std::string("cvt.") + m.suffix + "." + to.name + (is_signed ? ".s" : ".u") + std::to_string(width);
          const LoweredInstruction run(text + " d, a");
          auto values = integer_samples(width, 200);
          for (unsigned shift = 0; shift + 12 < width; ++shift)
            for (uint64_t low : {uint64_t{0}, uint64_t{1}, uint64_t{1} << shift, (uint64_t{1} << shift) - 1,
                                 (uint64_t{1} << shift) + 1})
              values.push_back(low_bits((0x401ull << shift) + low, width));
          for (uint64_t a : values) {
            const __int128 value = is_signed && a >> (width - 1) ? __int128{a} - (__int128{1} << width) : __int128{a};
            ASSERT_EQ(run({a}), encode(from_integer(value), to.format, m.mode)) << text << std::hex << " " << a;
          }
        }
}

// Rounds |value| to an integer by dropping fraction bits, then saturates.
uint64_t expected_integer(const Exact& x, unsigned width, bool is_signed, Mode mode, uint64_t for_nan) {
  const __int128 max = (__int128{1} << (is_signed ? width - 1 : width)) - 1, min = is_signed ? -max - 1 : 0;
  if (x.kind == Exact::Kind::NaN) return for_nan;
  __int128 value = 0;
  if (x.kind == Exact::Kind::Infinite || (x.magnitude != 0 && x.exponent > 64))
    value = x.negative ? min : max;
  else if (x.exponent >= 0)
    value = static_cast<__int128>(x.magnitude << x.exponent) * (x.negative ? -1 : 1);
  else {
    const int drop = std::min(-x.exponent, 120);
    __int128 kept = static_cast<__int128>(x.magnitude >> drop);
    const unsigned __int128 below = x.magnitude & ((static_cast<unsigned __int128>(1) << drop) - 1),
                            half = static_cast<unsigned __int128>(1) << (drop - 1);
    const bool up = mode == Mode::Nearest ? below > half || (below == half && kept & 1)
                    : mode == Mode::Down  ? x.negative && below
                                          : mode == Mode::Up && !x.negative && below;
    value = (kept + up) * (x.negative ? -1 : 1);
  }
  return low_bits(static_cast<uint64_t>(value > max ? max : value < min ? min : value), width);
}

TEST(Convert, FloatToInteger) {
  constexpr std::pair<const char*, Mode> modes[] = {
      {"rni", Mode::Nearest}, {"rzi", Mode::Zero}, {"rmi", Mode::Down}, {"rpi", Mode::Up}};
  for (const NamedFormat& from : formats)
    for (unsigned width : {8u, 16u, 32u, 64u})
      for (bool is_signed : {false, true})
        for (auto [suffix, mode] : modes) {
          const std::string text =
              std::string("cvt.") + suffix + (is_signed ? ".s" : ".u") + std::to_string(width) + "." + from.name;
          const LoweredInstruction run(text + " d, a");
          auto values = samples(from.format, 100);
          for (int exponent = -3; exponent < 70; ++exponent)
            for (unsigned extra : {0u, 1u, 2u, 3u, 5u, 7u})
              for (bool negative : {false, true})
                values.push_back(encode({Exact::Kind::Finite, negative, (8 + extra), exponent - 3}, from.format));
          const uint64_t for_nan = from.format.width == 64 || width == 64 ? uint64_t{1} << (width - 1) : 0;
          for (uint64_t a : values)
            ASSERT_EQ(run({a}), expected_integer(decode(a, from.format), width, is_signed, mode, for_nan))
                << text << std::hex << " " << a;
        }
}

TEST(Convert, ToIntegralFloat) {
  for (const NamedFormat& n : {NamedFormat{"f32", f32}, NamedFormat{"f64", f64}}) {
    const LoweredInstruction nearest(std::string("cvt.rni.") + n.name + "." + n.name + " d, a"),
        down(std::string("cvt.rmi.") + n.name + "." + n.name + " d, a");
    EXPECT_EQ(nearest({encode({Exact::Kind::Finite, false, 5, -1}, n.format)}), encode(from_integer(2), n.format));
    EXPECT_EQ(nearest({encode({Exact::Kind::Finite, true, 1, -1}, n.format)}), n.format.sign());
    EXPECT_EQ(down({encode({Exact::Kind::Finite, true, 5, -1}, n.format)}), encode(from_integer(-3), n.format));
  }
  EXPECT_EQ(LoweredInstruction("cvt.sat.f32.f32 d, a")({0x7fc00000}), 0u);
  EXPECT_EQ(LoweredInstruction("cvt.ftz.f32.f32 d, a")({0x80000001}), 0x80000000u);
}

TEST(Convert, IntegerToInteger) {
  for (unsigned from : {8u, 16u, 32u, 64u})
    for (unsigned to : {8u, 16u, 32u, 64u})
      for (bool from_signed : {false, true})
        for (bool to_signed : {false, true})
          for (bool sat : {false, true}) {
            const std::string text = std::string("cvt") + (sat ? ".sat" : "") + (to_signed ? ".s" : ".u") +
                                     std::to_string(to) + (from_signed ? ".s" : ".u") + std::to_string(from);
            const LoweredInstruction run(text + " d, a");
            for (uint64_t a : integer_samples(from)) {
              __int128 value = from_signed && a >> (from - 1) ? __int128{a} - (__int128{1} << from) : __int128{a};
              const __int128 max = (__int128{1} << (to_signed ? to - 1 : to)) - 1, min = to_signed ? -max - 1 : 0;
              if (sat) value = value > max ? max : value < min ? min : value;
              ASSERT_EQ(run({a}), low_bits(static_cast<uint64_t>(value), to)) << text << std::hex << " " << a;
            }
          }
}

TEST(Convert, PackedHalves) {
  const LoweredInstruction pack("cvt.rn.f16x2.f32 d, a, b"), relu_pack("cvt.rz.relu.bf16x2.f32 d, a, b"),
      finite("cvt.rn.satfinite.f16.f32 d, a");
  for (uint64_t a : samples(f32))
    for (uint64_t b : samples(f32, 6)) {
      ASSERT_EQ(pack({a, b}), encode(decode(a, f32), f16) << 16 | encode(decode(b, f32), f16));
      ASSERT_EQ(relu_pack({a, b}), relu(encode(decode(a, f32), bf16, Mode::Zero), bf16) << 16 |
                                       relu(encode(decode(b, f32), bf16, Mode::Zero), bf16));
    }
  EXPECT_EQ(finite({0x7f800000}), 0x7bffu);
  EXPECT_EQ(finite({0xc7800000}), 0xfbffu);
  EXPECT_EQ(finite({0x7fc00000}), 0x7fffu);
}

TEST(Convert, TensorFloat) {
  const Format tf32_like{19, 10};
  const LoweredInstruction away("cvt.rna.tf32.f32 d, a"), nearest("cvt.rn.tf32.f32 d, a"), zero("cvt.rz.tf32.f32 d, a");
  for (uint64_t a : samples(f32, 200)) {
    if (f32.is_nan(a)) continue;
    const auto expected = [&](Mode mode) { return encode(decode(a, f32), tf32_like, mode) << 13; };
    ASSERT_EQ(away({a}), expected(Mode::AwayTies)) << std::hex << a;
    ASSERT_EQ(nearest({a}), expected(Mode::Nearest)) << std::hex << a;
    ASSERT_EQ(zero({a}), expected(Mode::Zero)) << std::hex << a;
  }
}

// The 8-bit formats: the value nearest to the input among all 256 codes, found by search.
TEST(Convert, EightBitFloats) {
  struct Eight {
    const char* name;
    unsigned mantissa;
    int bias;
    uint64_t largest, nan_from;
  };
  for (const Eight& e : {Eight{"e4m3x2", 3, 7, 0x7e, 0x7f}, Eight{"e5m2x2", 2, 15, 0x7b, 0x7d}}) {
    const auto value_of = [&](uint64_t code) {
      const int exponent = static_cast<int>(code >> e.mantissa);
      const double fraction = static_cast<double>(code & ((1u << e.mantissa) - 1)) / (1 << e.mantissa);
      return exponent ? std::ldexp(1 + fraction, exponent - e.bias) : std::ldexp(fraction, 1 - e.bias);
    };
    const LoweredInstruction narrow(std::string("cvt.rn.satfinite.") + e.name + ".f32 d, a, b"),
        widen(std::string("cvt.rn.f16x2.") + e.name + " d, a");
    for (uint64_t code = 0; code < 128; ++code) {
      const bool inf = code > e.largest && code < e.nan_from;
      const uint64_t expected = code >= e.nan_from ? 0x7fff
                                : inf              ? 0x7c00
                                                   : encode(decode(std::bit_cast<uint64_t>(value_of(code)), f64), f16);
      const uint64_t negative = code >= e.nan_from ? expected : expected | 0x8000;
      ASSERT_EQ(widen({code | (code | 0x80) << 8}), expected | negative << 16) << e.name << " " << code;
    }
    std::vector<float> inputs;
    for (uint64_t code = 0; code < e.largest; ++code)
      for (double at : {0.0, 0.25, 0.5, 0.75})
        inputs.push_back(static_cast<float>(value_of(code) * (1 - at) + value_of(code + 1) * at));
    for (uint64_t a : samples(f32)) inputs.push_back(std::bit_cast<float>(static_cast<uint32_t>(a)));
    for (float input : inputs) {
      uint64_t best = 0;
      const double size = std::fabs(input);
      for (uint64_t code = 0; code <= e.largest; ++code) {
        const double now = std::fabs(value_of(code) - size), before = std::fabs(value_of(best) - size);
        if (now < before || (now == before && !(code & 1))) best = code;
      }
      if (size > value_of(e.largest)) best = e.largest; // far outside, distances are equal within a double
      uint64_t expected = std::isnan(input) ? 0x7f : best | (std::signbit(input) ? 0x80 : 0);
      ASSERT_EQ(narrow({0, std::bit_cast<uint32_t>(input)}), expected) << e.name << " " << input;
      ASSERT_EQ(narrow({std::bit_cast<uint32_t>(input), 0}), expected << 8) << e.name << " " << input;
    }
  }
}

TEST(Convert, Pack) {
  const LoweredInstruction u8("cvt.pack.sat.u8.s32.b32 d, a, b, c"), s16("cvt.pack.sat.s16.s32 d, a, b");
  EXPECT_EQ(u8({300, 0xfffffff0, 0xabcd1234}), 0x1234ff00u);
  EXPECT_EQ(s16({40000, 0xffff0000}), 0x7fff8000u);
}

} // namespace
} // namespace tollgate::test
