// set, setp, selp, slct for every comparison and type.
#include "lowered_instruction.h"
#include "samples.h"
#include "soft_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace tollgate::test {
namespace {

// -1, 0, 1, or 2 for unordered.
int order_of(double a, double b) { return a != a || b != b ? 2 : a < b ? -1 : a > b ? 1 : 0; }
bool holds(std::string_view cmp, int order) {
  if (cmp == "num") return order != 2;
  if (cmp == "nan") return order == 2;
  const bool unordered = cmp.size() == 3;
  if (order == 2) return unordered;
  const std::string_view base = cmp.substr(0, 2);
  if (base == "eq") return order == 0;
  if (base == "ne") return order != 0;
  if (base == "lt" || base == "lo") return order < 0;
  if (base == "le" || base == "ls") return order <= 0;
  if (base == "gt" || base == "hi") return order > 0;
  return order >= 0;
}
const char* const float_comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

double value_of(uint64_t bits, const Format& f) { return std::bit_cast<double>(encode(decode(bits, f), f64)); }

TEST(Compare, Floats) {
  struct Named {
    const char* name;
    Format format;
  };
  for (const Named& n : {Named{"f16", f16}, Named{"bf16", bf16}, Named{"f32", f32}, Named{"f64", f64}})
    for (const char* cmp : float_comparisons) {
      const LoweredInstruction setp(std::string("setp.") + cmp + "." + n.name + " d|p, a, b");
      const LoweredInstruction set(std::string("set.") + cmp + ".u32." + n.name + " d, a, b");
      for (uint64_t a : float_samples(n.format.width, n.format.mantissa, 4))
        for (uint64_t b : float_samples(n.format.width, n.format.mantissa, 4)) {
          const bool expected = holds(cmp, n.format.is_nan(a) || n.format.is_nan(b)
                                               ? 2
                                               : order_of(value_of(a, n.format), value_of(b, n.format)));
          const auto out = setp.all({a, b});
          ASSERT_EQ(out[0], expected) << cmp << "." << n.name << std::hex << " " << a << " " << b;
          ASSERT_EQ(out[1], !expected);
          ASSERT_EQ(set({a, b}), expected ? 0xffffffffu : 0u);
        }
    }
}

TEST(Compare, Integers) {
  for (unsigned width : {16u, 32u, 64u})
    for (bool is_signed : {false, true})
      for (const char* cmp : {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}) {
        const bool by_name = std::string_view("lo ls hi hs").find(cmp) != std::string_view::npos;
        if (is_signed && by_name) continue;
        const LoweredInstruction setp(std::string("setp.") + cmp + (is_signed ? ".s" : ".u") + std::to_string(width) +
                                      " d, a, b");
        for (uint64_t a : integer_samples(width))
          for (uint64_t b : integer_samples(width)) {
            const uint64_t flip = is_signed ? uint64_t{1} << (width - 1) : 0; // orders signed values as unsigned ones
            const int order = (a ^ flip) < (b ^ flip) ? -1 : a != b;
            ASSERT_EQ(setp({a, b}), holds(cmp, order)) << cmp << width << std::hex << " " << a << " " << b;
          }
      }
}

TEST(Compare, BooleanTail) {
  for (const char* op : {"and", "or", "xor"})
    for (bool negated : {false, true}) {
      const LoweredInstruction run(std::string("setp.lt.") + op + ".s32 d|p, a, b, " + (negated ? "!c" : "c"));
      const LoweredInstruction set(std::string("set.lt.") + op + ".f32.s32 d, a, b, " + (negated ? "!c" : "c"));
      for (bool less : {false, true})
        for (bool c : {false, true}) {
          const bool tail = c != negated;
          const auto apply = [&](bool t) { return op[0] == 'a' ? t && tail : op[0] == 'o' ? t || tail : t != tail; };
          const auto out = run.all({less ? 0xffffffffu : 5u, 3, c});
          EXPECT_EQ(out[0], apply(less)) << op << negated;
          EXPECT_EQ(out[1], apply(!less)) << op << negated;
          EXPECT_EQ(set({less ? 0xffffffffu : 5u, 3, c}), apply(less) ? 0x3f800000u : 0u);
        }
    }
}

TEST(Compare, PackedAndFlushed) {
  const auto out =
      LoweredInstruction("setp.lt.f16x2 d|p, a, b").all({0x3c00c000, 0x3c004000}); // low -2 < 2, high 1 < 1
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 0u);
  EXPECT_EQ(LoweredInstruction("set.lt.f16x2.f16x2 d, a, b")({0x3c00c000, 0x3c004000}), 0x00003c00u);
  EXPECT_EQ(LoweredInstruction("set.lt.u32.f16x2 d, a, b")({0x3c00c000, 0x40004000}), 0xffffffffu);
  EXPECT_EQ(LoweredInstruction("set.eq.bf16.bf16 d, a, b")({0x8000, 0}), 0x3f80u);
  EXPECT_EQ(LoweredInstruction("setp.eq.ftz.f32 d, a, b")({1, 0x80000002}), 1u);
  EXPECT_EQ(LoweredInstruction("setp.eq.f32 d, a, b")({1, 0x80000002}), 0u);
}

TEST(Select, SelpAndSlct) {
  const LoweredInstruction selp("selp.b64 d, a, b, c"), integer("slct.u32.s32 d, a, b, c"),
      floating("slct.f32.f32 d, a, b, c");
  EXPECT_EQ(selp({5, 7, 1}), 5u);
  EXPECT_EQ(selp({5, 7, 0}), 7u);
  EXPECT_EQ(integer({5, 7, 0}), 5u);
  EXPECT_EQ(integer({5, 7, 0x80000000}), 7u);
  EXPECT_EQ(floating({5, 7, 0x80000000}), 5u) << "-0 counts as >= 0";
  EXPECT_EQ(floating({5, 7, 0x7fc00000}), 7u) << "NaN selects b";
  EXPECT_EQ(floating({0x7f800001, 7, 0}), 0x7f800001u) << "a selection keeps the bits";
}

TEST(Unsupported, NamesTheForm) {
  EXPECT_NE(LoweredInstruction("setp.num.s32 d, a, b").error().find("setp.s32"), std::string::npos);
  EXPECT_FALSE(LoweredInstruction("div.rn.f16 d, a, b").error().empty());
}

} // namespace
} // namespace tollgate::test
