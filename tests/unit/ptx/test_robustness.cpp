// Hostile text: an error or a module, quickly, and never a crash.
#include "ptx_test.h"

#include <chrono>

namespace tollgate::ptx {
namespace {

std::string repeat(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Robustness, DeepNestingEndsInAnError) {
  EXPECT_NE(parse_error(kernel(repeat("{", 100000))).message.find("nest too deeply"), std::string::npos);
  EXPECT_NE(parse_error(kernel("mov.u32 %r0, " + repeat("(", 100000))).message.find("nests too deeply"),
            std::string::npos);
  EXPECT_NE(parse_error(kernel("mov.u32 %r0, " + repeat("-", 100000))).message.find("nests too deeply"),
            std::string::npos);
  EXPECT_NE(parse_error(kernel("mov.u32 %r0, " + repeat("1?", 100000))).message.find("nests too deeply"),
            std::string::npos);
  parse_error(kernel("mov.b64 " + repeat("{", 100000)));
  parse_error(header + ".global .b32 x" + repeat("[2]", 100000) + ";");
  parse_error(header + ".global .b32 x[2] = " + repeat("{", 100000));
}

TEST(Robustness, HugeSizesAreRefused) {
  parse_error(header + ".global .b64 x[1099511627776][1099511627776];");
  parse_error(header + ".global .b8 x[2][1073741824] = {{1}, {1}};");
  parse_error(header + ".global .align 3 .b8 x;");
}

TEST(Robustness, LongOpcodesAreRefusedQuickly) {
  parse_error(kernel("atom" + repeat(".add", 100000) + " %r0, [%d0], 1;"));
  parse_error(kernel("add.s32 " + repeat("%r0, ", 100000) + "%r1;"));
}

TEST(Robustness, EveryPrefixOfAModuleIsHandled) {
  for (const char* name : {"calls.ptx", "data.ptx", "locations.ptx"}) {
    const std::string text = data_file(name);
    for (size_t length = 0; length < text.size(); ++length)
      (void)parse_module(std::string_view(text).substr(0, length), name);
  }
}

TEST(Robustness, EveryByteMayBeReplaced) {
  const std::string text = data_file("calls.ptx");
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '{', '}', ';', '.', '"', '9', '\xFF'}) {
      std::string changed = text;
      changed[i] = c;
      (void)parse_module(changed, "changed");
    }
  }
}

TEST(Robustness, MegabytesTakeWellUnderASecondEach) {
  std::string body;
  for (int i = 0; body.size() < 2'000'000; ++i) {
    body += "\tmad.lo.s32 \t%r" + std::to_string(i % 16) + ", %r1, %r2, " + std::to_string(i) + ";\n";
    body += "\tld.global.nc.u32 \t%r3, [%d1+" + std::to_string(i * 4) + "];\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  parse_ok(kernel(body));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 5.0); // generous: sanitizers and a busy machine; 0.1 s is usual
}

} // namespace
} // namespace tollgate::ptx
