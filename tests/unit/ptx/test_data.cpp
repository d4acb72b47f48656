#include "ptx_test.h"

#include <cstring>

namespace tollgate::ptx {
namespace {

class Data : public testing::Test {
protected:
  ModulePtr module_ = parse_ok(data_file("data.ptx"));
  const Variable& variable(const std::string& name) const {
    for (const Variable& each : module_->variables) {
      if (each.name == name) return each;
    }
    ADD_FAILURE() << name;
    static const Variable none;
    return none;
  }
  template <typename T> T value(const std::string& name, size_t index) const {
    T out{};
    const auto& init = variable(name).init;
    if ((index + 1) * sizeof(T) <= init.size()) std::memcpy(&out, init.data() + index * sizeof(T), sizeof(T));
    return out;
  }
};

TEST_F(Data, Header) {
  EXPECT_EQ(module_->version_major, 8U);
  EXPECT_EQ(module_->target, "sm_90a");
  EXPECT_EQ(module_->target_sm, 90U);
}

TEST_F(Data, ScalarsAndArrays) {
  EXPECT_EQ(value<uint32_t>("counter", 0), 7U);
  EXPECT_EQ(variable("managed_one").size, 4U);
  EXPECT_TRUE(variable("managed_one").is_managed);
  EXPECT_EQ(value<double>("constants", 0), 1.0);
  EXPECT_EQ(value<double>("constants", 1), 2.5);
  EXPECT_EQ(value<double>("constants", 2), -1.0);
  EXPECT_EQ(value<float>("single", 0), 1.5F);
  EXPECT_EQ(value<float>("vector", 1), 2.0F);
  EXPECT_EQ(value<uint32_t>("mixed", 0), 48U);
  EXPECT_EQ(value<uint64_t>("ternary", 0), 16U);
}

TEST_F(Data, NestedBracesStartRows) {
  EXPECT_EQ(variable("grid").size, 24U);
  EXPECT_EQ(value<int32_t>("grid", 0), -1);
  EXPECT_EQ(value<int32_t>("grid", 2), 1);
  EXPECT_EQ(value<int32_t>("grid", 3), 0);
  EXPECT_EQ(value<int32_t>("grid", 5), 6);
}

TEST_F(Data, LinkageAndSpaces) {
  EXPECT_EQ(variable("dynamic").size, 0U);
  EXPECT_TRUE(variable("dynamic").is_extern);
  EXPECT_EQ(variable("fixed").space, Space::Shared);
  EXPECT_TRUE(variable("shared_name").is_common);
  EXPECT_TRUE(variable("maybe").is_weak);
  EXPECT_FALSE(variable("later").is_extern);
  EXPECT_EQ(value<uint64_t>("later", 0), 9U);
  EXPECT_EQ(module_->find_function("k")->variables[0].size, 128U);
}

TEST_F(Data, AddressesBecomeRelocations) {
  const Variable& functions = variable("functions");
  ASSERT_EQ(functions.relocations.size(), 2U);
  EXPECT_EQ(functions.relocations[0].symbol.kind, SymbolKind::Function);
  EXPECT_EQ(functions.relocations[1].offset, 8U);
  EXPECT_EQ(functions.relocations[1].addend, 4);
  EXPECT_TRUE(functions.relocations[1].generic);
  const Variable& packed = variable("packed");
  ASSERT_EQ(packed.relocations.size(), 8U);
  EXPECT_EQ(packed.relocations[7].byte, 7U);
  EXPECT_EQ(packed.relocations[7].size, 1U);
  EXPECT_TRUE(packed.relocations[2].generic);
}

} // namespace
} // namespace tollgate::ptx
