// Logic, shifts, mov and prmt against bit-by-bit references.
#include "lowered_instruction.h"
#include "samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace tollgate::test {
namespace {

TEST(Logic, Basic) {
  const LoweredInstruction a64("and.b64 d, a, b"), o32("or.b32 d, a, b"), x16("xor.b16 d, a, b"), n("not.b32 d, a"),
      c("cnot.b32 d, a");
  const LoweredInstruction pred("xor.pred d, a, b"), npred("not.pred d, a");
  for (uint64_t a : integer_samples(64))
    for (uint64_t b : integer_samples(64)) {
      ASSERT_EQ(a64({a, b}), a & b);
      ASSERT_EQ(o32({a, b}), low_bits(a | b, 32));
      ASSERT_EQ(x16({a, b}), low_bits(a ^ b, 16));
      ASSERT_EQ(pred({a & 1, b & 1}), (a ^ b) & 1);
    }
  EXPECT_EQ(n({0xf0f0f0f0}), 0x0f0f0f0fu);
  EXPECT_EQ(c({0}), 1u);
  EXPECT_EQ(c({5}), 0u);
  EXPECT_EQ(npred({1}), 0u);
}

TEST(Logic, Lop3EveryTable) {
  for (unsigned table = 0; table < 256; ++table) {
    const LoweredInstruction run("lop3.b32 d, a, b, c, " + std::to_string(table));
    EXPECT_EQ(run({0xf0, 0xcc, 0xaa}) & 0xff, table);
  }
}

TEST(Logic, Lop3WithPredicate) {
  const LoweredInstruction both("lop3.and.b32 d|p, a, b, c, 0x80, q"), either("lop3.or.b32 d|p, a, b, c, 0x80, q");
  for (uint64_t a : {0u, 4u})
    for (uint64_t q : {0u, 1u}) {
      EXPECT_EQ(both.all({a, 6, 12, q})[1], (a != 0) && q);
      EXPECT_EQ(either.all({a, 6, 12, q})[1], (a != 0) || q);
    }
}

TEST(Shift, BeyondTheWidth) {
  for (unsigned width : {16u, 32u, 64u}) {
    const std::string w = std::to_string(width);
    const LoweredInstruction left("shl.b" + w + " d, a, b"), right("shr.u" + w + " d, a, b"),
        arithmetic("shr.s" + w + " d, a, b");
    for (uint64_t a : integer_samples(width))
      for (uint64_t n : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 256u, 0x80000000u, 0xffffffffu}) {
        uint64_t l = 0, r = 0, s = 0;
        for (unsigned i = 0; i < width; ++i) {
          if (i >= n) l |= (a >> (i - n) & 1) << i;
          if (i + n < width) r |= (a >> (i + n) & 1) << i;
          s |= (a >> std::min<uint64_t>(i + n, width - 1) & 1) << i;
        }
        ASSERT_EQ(left({a, n}), l) << a << " " << n;
        ASSERT_EQ(right({a, n}), r) << a << " " << n;
        ASSERT_EQ(arithmetic({a, n}), s) << a << " " << n;
      }
  }
}

TEST(Shift, Funnel) {
  const LoweredInstruction lw("shf.l.wrap.b32 d, a, b, c"), lc("shf.l.clamp.b32 d, a, b, c");
  const LoweredInstruction rw("shf.r.wrap.b32 d, a, b, c"), rc("shf.r.clamp.b32 d, a, b, c");
  const uint64_t a = 0x89abcdef, b = 0x01234567, both = b << 32 | a;
  for (uint64_t n : {0u, 1u, 16u, 31u, 32u, 33u, 40u, 64u, 0xffffffffu}) {
    const uint64_t wrapped = n & 31, clamped = std::min<uint64_t>(n, 32);
    const auto left = [&](uint64_t by) { return by == 32 ? a : low_bits(both << by >> 32, 32); };
    const auto right = [&](uint64_t by) { return low_bits(both >> by, 32); };
    EXPECT_EQ(lw({a, b, n}), left(wrapped)) << n;
    EXPECT_EQ(lc({a, b, n}), left(clamped)) << n;
    EXPECT_EQ(rw({a, b, n}), right(wrapped)) << n;
    EXPECT_EQ(rc({a, b, n}), right(clamped)) << n;
  }
}

TEST(Move, PackAndUnpack) {
  EXPECT_EQ(LoweredInstruction("mov.b32 d, {a, b}")({0x1111, 0x2222}), 0x22221111u);
  EXPECT_EQ(LoweredInstruction("mov.b64 d, {a, b}")({0x11111111, 0x22222222}), 0x2222222211111111u);
  EXPECT_EQ(LoweredInstruction("mov.b64 d, {a, b, c, e}")({1, 2, 3, 4}), 0x0004000300020001u);
  EXPECT_EQ(LoweredInstruction("mov.b32 d, {a, b, c, e}")({1, 2, 3, 4}), 0x04030201u);
  const auto halves = LoweredInstruction("mov.b32 {x, y}, a").all({0x22221111});
  EXPECT_EQ(halves[0], 0x1111u);
  EXPECT_EQ(halves[1], 0x2222u);
  const auto words = LoweredInstruction("mov.b64 {_, y}, a").all({0x2222222211111111u});
  EXPECT_EQ(words[0], 0x22222222u);
  const auto wide = LoweredInstruction("mov.b128 d, {a, b}").all({5, 7});
  EXPECT_EQ(wide[0], 5u);
  EXPECT_EQ(wide[1], 7u);
  const auto split = LoweredInstruction("mov.b128 {x, y}, a").all({5, 7});
  EXPECT_EQ(split[0], 5u);
  EXPECT_EQ(split[1], 7u);
}

TEST(Move, Scalars) {
  EXPECT_EQ(LoweredInstruction("mov.u32 d, a")({0xffffffff}), 0xffffffffu);
  EXPECT_EQ(LoweredInstruction("mov.f64 d, a")({0x7ff0000000000001}), 0x7ff0000000000001u);
  EXPECT_EQ(LoweredInstruction("mov.f32 d, a")({0x7f800001}), 0x7f800001u) << "a move keeps a signalling NaN";
  EXPECT_EQ(LoweredInstruction("mov.pred d, a")({1}), 1u);
}

TEST(Prmt, DefaultMode) {
  const LoweredInstruction run("prmt.b32 d, a, b, c");
  const uint64_t a = 0x83828180 ^ 0x00ff0000, b = 0x07860504;
  for (uint64_t c : {0x3210u, 0x7654u, 0x0123u, 0xba98u, 0xfedcu, 0x8f0eu, 0xffff5a3cu}) {
    uint64_t expected = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned s = c >> 4 * i & 15;
      uint64_t byte = (b << 32 | a) >> 8 * (s & 7) & 255;
      if (s & 8) byte = byte & 128 ? 255 : 0;
      expected |= byte << 8 * i;
    }
    EXPECT_EQ(run({a, b, c}), expected) << std::hex << c;
  }
}

TEST(Prmt, NamedModes) {
  // The byte selections of the manual's table, d.b3 first.
  struct Row {
    const char* mode;
    unsigned selector;
    std::array<unsigned, 4> bytes;
  };
  const Row rows[] = {
      {"f4e", 0, {3, 2, 1, 0}},  {"f4e", 1, {4, 3, 2, 1}}, {"f4e", 2, {5, 4, 3, 2}},  {"f4e", 3, {6, 5, 4, 3}},
      {"b4e", 0, {5, 6, 7, 0}},  {"b4e", 1, {6, 7, 0, 1}}, {"b4e", 2, {7, 0, 1, 2}},  {"b4e", 3, {0, 1, 2, 3}},
      {"rc8", 0, {0, 0, 0, 0}},  {"rc8", 3, {3, 3, 3, 3}}, {"ecl", 0, {3, 2, 1, 0}},  {"ecl", 1, {3, 2, 1, 1}},
      {"ecl", 2, {3, 2, 2, 2}},  {"ecl", 3, {3, 3, 3, 3}}, {"ecr", 0, {0, 0, 0, 0}},  {"ecr", 1, {1, 1, 1, 0}},
      {"ecr", 2, {2, 2, 1, 0}},  {"ecr", 3, {3, 2, 1, 0}}, {"rc16", 0, {1, 0, 1, 0}}, {"rc16", 1, {3, 2, 3, 2}},
      {"rc16", 2, {1, 0, 1, 0}}, {"rc16", 3, {3, 2, 3, 2}}};
  for (const Row& row : rows) {
    uint64_t expected = 0;
    for (unsigned byte : row.bytes) expected = expected << 8 | (0x80 + byte);
    EXPECT_EQ(
        LoweredInstruction(std::string("prmt.b32.") + row.mode + " d, a, b, c")({0x83828180, 0x87868584, row.selector}),
        expected)
        << row.mode << row.selector;
  }
}

} // namespace
} // namespace tollgate::test
