#include "base/demangle.h"

#include <gtest/gtest.h>

namespace tollgate {
namespace {

TEST(Demangle, OtherNamesStayAsTheyAre) {
  EXPECT_EQ(demangle("g"), "g");
  EXPECT_EQ(demangle("_Z6kernelPi"), "kernel(int*)");
}

// static __device__ void wait(unsigned), in a.cu
TEST(Demangle, TheNamespaceThatNvccMakesForAFileIsNoName) {
  EXPECT_EQ(demangle("_ZN38_INTERNAL_32d75912_4_a_cu_13032f7e_1234waitEj"), "wait(unsigned int)");
  EXPECT_EQ(demangle("_ZN9_INTERNALEv"), "_INTERNAL()") << "somebody's own name";
}

TEST(Demangle, AVariableIsNamedWithoutItsFunction) {
  EXPECT_EQ(demangle_variable("_ZZ6kernelPiE4tile"), "tile");
  EXPECT_EQ(demangle_variable("_ZN5space4tileE"), "space::tile");
  EXPECT_EQ(demangle_variable("tile"), "tile");
}

} // namespace
} // namespace tollgate
