#include "ptx_test.h"

namespace tollgate::ptx {
namespace {

TEST(Locations, FollowsInlineChains) {
  const ModulePtr module = parse_ok(data_file("locations.ptx"));
  EXPECT_EQ(module->files.at(1), "/src/kernel.cu");
  const auto& code = module->functions[0].instructions;
  const auto at = [&](size_t i) { return module->locations[code[i].location]; };
  EXPECT_EQ(at(0).line, 10U);
  EXPECT_EQ(at(0).inlined_at, 0U);
  EXPECT_EQ(at(2).function, "outer");
  EXPECT_EQ(at(2).inlined_at, code[1].location);
  EXPECT_EQ(at(3).function, "inner");
  EXPECT_EQ(at(3).inlined_at, code[2].location);
  // A call that has no .loc of its own still gets an entry.
  EXPECT_EQ(module->locations[at(4).inlined_at].line, 77U);
}

TEST(Locations, ChainsAreFinite) {
  const ModulePtr module =
      parse_ok(header + ".entry k() { .loc 1 1 1, inlined_at 1 1 1\n ret; .loc 1 1 1, inlined_at 1 1 1\n ret; }");
  for (size_t i = 1; i < module->locations.size(); ++i) EXPECT_LT(module->locations[i].inlined_at, i);
}

} // namespace
} // namespace tollgate::ptx
