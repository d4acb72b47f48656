#include "ptx_test.h"

#include <set>

namespace tollgate::ptx {
namespace {

TEST(Forms, EverythingTheCompilersEmitParses) {
  const ModulePtr module = parse_ok(data_file("compiler_forms.ptx"));
  const Function* function = module->find_function("k");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->instructions.size(), 524U);
}

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, PrintedTextParsesToTheSame) {
  const ModulePtr module = parse_ok(data_file(GetParam()));
  const std::string printed = print(*module);
  const ModulePtr again = parse_ok(printed);
  EXPECT_EQ(print(*again), printed);
  ASSERT_EQ(again->functions.size(), module->functions.size());
  for (size_t i = 0; i < module->functions.size(); ++i) {
    const Function &left = module->functions[i], &right = again->functions[i];
    ASSERT_EQ(left.instructions.size(), right.instructions.size()) << left.name;
    for (size_t j = 0; j < left.instructions.size(); ++j) {
      const Instruction &a = left.instructions[j], &b = right.instructions[j];
      EXPECT_EQ(a.form, b.form) << module->lines[a.ptx_line - 1];
      EXPECT_EQ(a.mods.types, b.mods.types);
      EXPECT_EQ(a.mods.mode, b.mods.mode);
      EXPECT_EQ(a.location, b.location);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, RoundTrip,
                         testing::Values("compiler_forms.ptx", "calls.ptx", "data.ptx", "locations.ptx"));

} // namespace
} // namespace tollgate::ptx
