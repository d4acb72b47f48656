// Integer and extended-precision arithmetic against __int128 and bit-by-bit references.
#include "lowered_instruction.h"
#include "samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace tollgate::test {
namespace {

using Int = __int128;

struct IntegerType {
  const char* name;
  unsigned width;
  bool is_signed;
  [[nodiscard]] Int value(uint64_t bits) const {
    if (!is_signed || !(bits >> (width - 1) & 1)) return Int{low_bits(bits, width)};
    return Int{low_bits(bits, width)} - (Int{1} << width);
  }
  [[nodiscard]] uint64_t bits(Int wanted) const { return low_bits(static_cast<uint64_t>(wanted), width); }
  [[nodiscard]] Int max() const { return (Int{1} << (is_signed ? width - 1 : width)) - 1; }
  [[nodiscard]] Int min() const { return is_signed ? -(Int{1} << (width - 1)) : 0; }
};
constexpr IntegerType types[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                 {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};
constexpr IntegerType u32{"u32", 32, false}, s32{"s32", 32, true};

using Binary = std::function<uint64_t(const IntegerType&, uint64_t, uint64_t)>;

void check_binary(const std::string& opcode, const IntegerType& type, const Binary& expected) {
  const LoweredInstruction run(opcode + "." + type.name + " d, a, b");
  for (uint64_t a : integer_samples(type.width))
    for (uint64_t b : integer_samples(type.width))
      ASSERT_EQ(run({a, b}), expected(type, a, b))
          << opcode << "." << type.name << std::hex << " " << a << " " << b << "\n"
          << run.ir();
}
void check_all_types(const std::string& opcode, const Binary& expected) {
  for (const IntegerType& type : types) check_binary(opcode, type, expected);
}
Binary of_values(Int (*operation)(Int, Int)) {
  return
      [operation](const IntegerType& t, uint64_t a, uint64_t b) { return t.bits(operation(t.value(a), t.value(b))); };
}

TEST(Integer, AddSubMulMinMax) {
  check_all_types("add", of_values([](Int a, Int b) { return a + b; }));
  check_all_types("sub", of_values([](Int a, Int b) { return a - b; }));
  check_all_types("min", of_values([](Int a, Int b) { return std::min(a, b); }));
  check_all_types("max", of_values([](Int a, Int b) { return std::max(a, b); }));
  check_all_types("mul.lo", [](const IntegerType& t, uint64_t a, uint64_t b) { return low_bits(a * b, t.width); });
}

// The high half by long multiplication of 16-bit digits.
uint64_t multiply_high(const IntegerType& t, uint64_t a, uint64_t b) {
  const Int x = t.value(a), y = t.value(b);
  const bool negative = (x < 0) != (y < 0) && x != 0 && y != 0;
  const auto ux = static_cast<uint64_t>(x < 0 ? -x : x), uy = static_cast<uint64_t>(y < 0 ? -y : y);
  unsigned __int128 product = 0;
  for (unsigned i = 0; i < 64; i += 16) product += static_cast<unsigned __int128>(ux >> i & 0xffff) * uy << i;
  if (negative) product = -product;
  return low_bits(static_cast<uint64_t>(product >> t.width), t.width);
}

TEST(Integer, MulHighAndWide) {
  check_all_types("mul.hi", multiply_high);
  for (const IntegerType& type : types) {
    if (type.width == 64) continue;
    check_binary("mul.wide", type, [](const IntegerType& t, uint64_t a, uint64_t b) {
      return low_bits(static_cast<uint64_t>(t.value(a) * t.value(b)), 2 * t.width);
    });
  }
}

TEST(Integer, Saturation) {
  const auto clamp = [](const IntegerType& t, Int v) { return t.bits(std::clamp(v, t.min(), t.max())); };
  check_binary("add.sat", s32,
               [&](const IntegerType& t, uint64_t a, uint64_t b) { return clamp(t, t.value(a) + t.value(b)); });
  check_binary("sub.sat", s32,
               [&](const IntegerType& t, uint64_t a, uint64_t b) { return clamp(t, t.value(a) - t.value(b)); });
  check_binary("add.sat", u32,
               [&](const IntegerType& t, uint64_t a, uint64_t b) { return clamp(t, t.value(a) + t.value(b)); });
  check_binary("sub.sat", u32,
               [&](const IntegerType& t, uint64_t a, uint64_t b) { return clamp(t, t.value(a) - t.value(b)); });
}

TEST(Integer, DivisionByZeroAndOverflow) {
  check_all_types("div", [](const IntegerType& t, uint64_t a, uint64_t b) {
    return b == 0 ? low_bits(~uint64_t{0}, t.width) : t.bits(t.value(a) / t.value(b));
  });
  check_all_types("rem", [](const IntegerType& t, uint64_t a, uint64_t b) {
    return b == 0 ? low_bits(~uint64_t{0}, t.width) : t.bits(t.value(a) % t.value(b));
  });
}

TEST(Integer, ThreeOperands) {
  for (const IntegerType& t : types) {
    const LoweredInstruction low(std::string("mad.lo.") + t.name + " d, a, b, c");
    const LoweredInstruction high(std::string("mad.hi.") + t.name + " d, a, b, c");
    const LoweredInstruction sad(std::string("sad.") + t.name + " d, a, b, c");
    for (uint64_t a : integer_samples(t.width))
      for (uint64_t b : integer_samples(t.width)) {
        const uint64_t c = low_bits(a * 3 + b, t.width);
        ASSERT_EQ(low({a, b, c}), low_bits(a * b + c, t.width));
        ASSERT_EQ(high({a, b, c}), low_bits(multiply_high(t, a, b) + c, t.width));
        const Int difference = t.value(a) - t.value(b);
        ASSERT_EQ(sad({a, b, c}), t.bits(t.value(c) + (difference < 0 ? -difference : difference))) << t.name;
      }
  }
  const LoweredInstruction wide("mad.wide.s32 d, a, b, c");
  const LoweredInstruction saturating("mad.hi.sat.s32 d, a, b, c");
  for (uint64_t a : integer_samples(32))
    for (uint64_t b : integer_samples(32)) {
      const uint64_t c = a << 33 ^ b;
      ASSERT_EQ(wide({a, b, c}), static_cast<uint64_t>(s32.value(a) * s32.value(b)) + c);
      const Int sum = (s32.value(a) * s32.value(b) >> 32) + s32.value(c);
      ASSERT_EQ(saturating({a, b, low_bits(c, 32)}), s32.bits(std::clamp(sum, s32.min(), s32.max())));
    }
}

TEST(Integer, TwentyFourBits) {
  const LoweredInstruction u_low("mul24.lo.u32 d, a, b"), u_high("mul24.hi.u32 d, a, b");
  const LoweredInstruction s_low("mul24.lo.s32 d, a, b"), s_high("mul24.hi.s32 d, a, b"),
      mad("mad24.lo.s32 d, a, b, c");
  const IntegerType u24{"u24", 24, false}, s24{"s24", 24, true};
  for (uint64_t a : integer_samples(32))
    for (uint64_t b : integer_samples(32)) {
      const Int u = u24.value(a) * u24.value(b), s = s24.value(a) * s24.value(b);
      ASSERT_EQ(u_low({a, b}), u32.bits(u));
      ASSERT_EQ(u_high({a, b}), u32.bits(u >> 16));
      ASSERT_EQ(s_low({a, b}), u32.bits(s));
      ASSERT_EQ(s_high({a, b}), u32.bits(s >> 16));
      ASSERT_EQ(mad({a, b, 77}), u32.bits(s + 77));
    }
}

TEST(Integer, OneOperand) {
  for (const IntegerType& t : types) {
    if (!t.is_signed) continue;
    const LoweredInstruction abs(std::string("abs.") + t.name + " d, a"), neg(std::string("neg.") + t.name + " d, a");
    for (uint64_t a : integer_samples(t.width)) {
      ASSERT_EQ(abs({a}), t.bits(t.value(a) < 0 ? -t.value(a) : t.value(a)));
      ASSERT_EQ(neg({a}), t.bits(-t.value(a)));
    }
  }
}

TEST(Integer, Counting) {
  for (unsigned width : {32u, 64u}) {
    const std::string b = ".b" + std::to_string(width), u = ".u" + std::to_string(width),
                      s = ".s" + std::to_string(width);
    const LoweredInstruction popc("popc" + b + " d, a"), clz("clz" + b + " d, a"), brev("brev" + b + " d, a");
    const LoweredInstruction find_u("bfind" + u + " d, a"), find_s("bfind" + s + " d, a"),
        shift("bfind.shiftamt" + u + " d, a");
    for (uint64_t a : integer_samples(width)) {
      unsigned ones = 0, leading = 0;
      uint64_t reversed = 0;
      for (unsigned i = 0; i < width; ++i) {
        ones += a >> i & 1;
        reversed |= (a >> i & 1) << (width - 1 - i);
      }
      while (leading < width && !(a >> (width - 1 - leading) & 1)) ++leading;
      ASSERT_EQ(popc({a}), ones);
      ASSERT_EQ(clz({a}), leading);
      ASSERT_EQ(brev({a}), reversed);
      ASSERT_EQ(find_u({a}), a == 0 ? 0xffffffffu : width - 1 - leading);
      ASSERT_EQ(shift({a}), a == 0 ? 0xffffffffu : leading);
      const bool sign = a >> (width - 1) & 1;
      uint64_t expected = 0xffffffffu;
      for (unsigned i = 0; i < width; ++i)
        if ((a >> i & 1) != sign) expected = i;
      ASSERT_EQ(find_s({a}), expected);
    }
  }
}

TEST(Integer, BitFields) {
  for (unsigned width : {32u, 64u}) {
    const std::string w = std::to_string(width);
    const LoweredInstruction extract_u("bfe.u" + w + " d, a, b, c"), extract_s("bfe.s" + w + " d, a, b, c");
    const LoweredInstruction insert("bfi.b" + w + " d, a, b, c, e");
    for (uint64_t a : integer_samples(width, 4))
      for (unsigned pos : {0u, 1u, 5u, 31u, 32u, 40u, 63u, 64u, 200u, 255u, 256u + 3u})
        for (unsigned len : {0u, 1u, 8u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 512u + 4u}) {
          const unsigned low = width == 32 ? 255 : ~0u; // an H200 takes the whole operand on 64 bits
          const unsigned p = pos & low, n = len & low;
          const uint64_t b = ~a ^ 0x123456789abcdefull;
          uint64_t unsigned_field = 0, signed_field = 0, inserted = low_bits(b, width);
          const unsigned last = std::min(p + n - 1, width - 1);
          const bool sign = n != 0 && (a >> last & 1);
          for (unsigned i = 0; i < width; ++i) {
            const bool inside = i < n && p + i < width;
            unsigned_field |= (inside ? a >> (p + i) & 1 : 0) << i;
            signed_field |= (inside ? a >> (p + i) & 1 : uint64_t{sign}) << i;
            if (inside) inserted = (inserted & ~(uint64_t{1} << (p + i))) | (a >> i & 1) << (p + i);
          }
          ASSERT_EQ(extract_u({a, pos, len}), unsigned_field) << a << " " << pos << " " << len;
          ASSERT_EQ(extract_s({a, pos, len}), signed_field) << a << " " << pos << " " << len;
          ASSERT_EQ(insert({a, b, pos, len}), inserted) << a << " " << pos << " " << len;
        }
  }
}

TEST(Integer, MasksAndExtension) {
  const LoweredInstruction clamp("bmsk.clamp.b32 d, a, b"), wrap("bmsk.wrap.b32 d, a, b");
  const LoweredInstruction sc("szext.clamp.s32 d, a, b"), uw("szext.wrap.u32 d, a, b"), sw("szext.wrap.s32 d, a, b");
  for (uint64_t a : integer_samples(32))
    for (uint64_t b : integer_samples(32)) {
      const auto mask = [](uint64_t from, uint64_t n) {
        uint64_t bits = 0;
        for (uint64_t i = from; i < 32 && i - from < n; ++i) bits |= uint64_t{1} << i;
        return bits;
      };
      ASSERT_EQ(clamp({a, b}), mask(a, b)) << a << " " << b;
      ASSERT_EQ(wrap({a, b}), mask(a & 31, b & 31));
      const auto extend = [&](uint64_t n, bool is_signed) -> uint64_t {
        if (n == 0) return 0;
        if (n >= 32) return a;
        const uint64_t low = low_bits(a, static_cast<unsigned>(n));
        return is_signed && low >> (n - 1) ? low_bits(low | ~uint64_t{0} << n, 32) : low;
      };
      ASSERT_EQ(sc({a, b}), extend(b, true));
      ASSERT_EQ(sw({a, b}), extend(b & 31, true));
      ASSERT_EQ(uw({a, b}), extend(b & 31, false));
    }
}

TEST(Integer, FindNthSet) {
  const LoweredInstruction fns("fns.b32 d, a, b, c");
  EXPECT_EQ(fns({0x00020000, 17, 0}), 17u);
  EXPECT_EQ(fns({0x00020000, 16, 0}), 0xffffffffu);
  EXPECT_EQ(fns({0xa5, 0, 1}), 0u);
  EXPECT_EQ(fns({0xa5, 0, 3}), 5u);
  EXPECT_EQ(fns({0xa5, 7, 0xfffffffe}), 5u); // -2
  EXPECT_EQ(fns({0xa5, 8, 1}), 0xffffffffu);
  EXPECT_EQ(fns({0xffffffff, 31, 0x80000000}), 0u); // an H200's answer
}

TEST(Integer, DotProducts) {
  const auto byte = [](uint64_t v, unsigned i, bool s) { return IntegerType{"", 8, s}.value(v >> 8 * i & 255); };
  const auto word = [](uint64_t v, unsigned i, bool s) { return IntegerType{"", 16, s}.value(v >> 16 * i & 65535); };
  for (bool sa : {false, true})
    for (bool sb : {false, true}) {
      const std::string suffix = std::string(sa ? ".s32" : ".u32") + (sb ? ".s32" : ".u32") + " d, a, b, c";
      const LoweredInstruction four("dp4a" + suffix), low("dp2a.lo" + suffix), high("dp2a.hi" + suffix);
      for (uint64_t a : integer_samples(32))
        for (uint64_t b : integer_samples(32)) {
          Int sum = 5, sum_low = 5, sum_high = 5;
          for (unsigned i = 0; i < 4; ++i) sum += byte(a, i, sa) * byte(b, i, sb);
          for (unsigned i = 0; i < 2; ++i) {
            sum_low += word(a, i, sa) * byte(b, i, sb);
            sum_high += word(a, i, sa) * byte(b, i + 2, sb);
          }
          ASSERT_EQ(four({a, b, 5}), u32.bits(sum));
          ASSERT_EQ(low({a, b, 5}), u32.bits(sum_low));
          ASSERT_EQ(high({a, b, 5}), u32.bits(sum_high));
        }
    }
}

TEST(Integer, Packed) {
  const LoweredInstruction add("add.u16x2 d, a, b"), max("max.s16x2 d, a, b"), relu("min.relu.s16x2 d, a, b");
  EXPECT_EQ(add({0x0001ffff, 0x00020001}), 0x00030000u);
  EXPECT_EQ(max({0x8000ffff, 0x00010001}), 0x00010001u);
  EXPECT_EQ(relu({0x8000ffff, 0x00010001}), 0u);
}

TEST(Carry, Chains) {
  for (unsigned width : {32u, 64u}) {
    const std::string t = ".u" + std::to_string(width);
    const LoweredInstruction add("add.cc" + t + " d, a, b"), addc("addc.cc" + t + " d, a, b"),
        sub("sub.cc" + t + " d, a, b"), subc("subc.cc" + t + " d, a, b"), mad("mad.lo.cc" + t + " d, a, b, c"),
        madc("madc.hi.cc" + t + " d, a, b, c");
    const IntegerType type{"", width, false};
    const Int modulus = Int{1} << width;
    for (uint64_t a : integer_samples(width))
      for (uint64_t b : integer_samples(width))
        for (uint64_t cf : {0, 1}) {
          const auto check = [&](const LoweredInstruction& run, Int exact, uint64_t c) {
            const auto out = run.all({a, b, c, 0, 0, 0, 0, cf});
            ASSERT_EQ(out[0], type.bits(exact));
            ASSERT_EQ(out[7], exact >= modulus);
          };
          check(add, Int{a} + b, 0);
          check(addc, Int{a} + b + cf, 0);
          const Int complement = modulus - 1 - b;
          check(sub, Int{a} + complement + 1, 0);
          check(subc, Int{a} + complement + cf, 0);
          check(mad, Int{low_bits(a * b, width)} + (a ^ b), a ^ b);
          check(madc, Int{multiply_high(type, a, b)} + (a ^ b) + cf, a ^ b);
        }
  }
}

} // namespace
} // namespace tollgate::test
