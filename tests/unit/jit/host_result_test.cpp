// What follows a call decides whether its result counts as read.
#include "jit/host_result.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tollgate::jit {
namespace {

// Room for the decoder to look ahead: int3 behind the code.
ResultUse use(std::vector<uint8_t> code) {
  code.resize(code.size() + 32, 0xcc);
  return result_use(code.data());
}

TEST(HostResult, IsReadWhereAnInstructionUsesIt) {
  EXPECT_EQ(use({0x85, 0xc0}), ResultUse::Read);                         // test eax, eax
  EXPECT_EQ(use({0x89, 0x45, 0xfc}), ResultUse::Read);                   // mov [rbp - 4], eax
  EXPECT_EQ(use({0x89, 0xdf, 0x89, 0xc3}), ResultUse::Read);             // mov edi, ebx; mov ebx, eax
  EXPECT_EQ(use({0x48, 0x98}), ResultUse::Read);                         // cdqe
  EXPECT_EQ(use({0x31, 0xc8}), ResultUse::Read);                         // xor eax, ecx
  EXPECT_EQ(use({0xb0, 0x01, 0x85, 0xc0}), ResultUse::Read);             // mov al, 1; test eax, eax
  EXPECT_EQ(use({0x75, 0x02, 0x31, 0xc0, 0x85, 0xc0}), ResultUse::Read); // jne to the test behind xor eax, eax
}

TEST(HostResult, IsDroppedWhereItIsOverwrittenOnEveryPath) {
  EXPECT_EQ(use({0x31, 0xc0}), ResultUse::Dropped);                         // xor eax, eax
  EXPECT_EQ(use({0x48, 0x8d, 0x45, 0xe0}), ResultUse::Dropped);             // lea rax, [rbp - 32]
  EXPECT_EQ(use({0xe8, 0, 0, 0, 0}), ResultUse::Dropped);                   // call
  EXPECT_EQ(use({0xeb, 0x02, 0x85, 0xc0, 0x31, 0xc0}), ResultUse::Dropped); // jmp over a test
  EXPECT_EQ(use({0x75, 0x02, 0x31, 0xc0, 0x31, 0xc0}), ResultUse::Dropped); // jne; both ways xor eax, eax
}

TEST(HostResult, IsHandedOnByAReturn) {
  EXPECT_EQ(use({0xc9, 0xc3}), ResultUse::Returned);                   // leave; ret
  EXPECT_EQ(use({0x48, 0x83, 0xc4, 0x10, 0xc3}), ResultUse::Returned); // add rsp, 16; ret
}

TEST(HostResult, CountsAsReadWhereItCannotBeTold) {
  EXPECT_EQ(use({0xff, 0x25, 0, 0, 0, 0}), ResultUse::Read); // jmp [rip]
  EXPECT_EQ(use({0xeb, 0xfe}), ResultUse::Read);             // an endless loop
  EXPECT_EQ(use({0x06}), ResultUse::Read);                   // no instruction
  EXPECT_EQ(result_use(nullptr), ResultUse::Read);
}

} // namespace
} // namespace tollgate::jit
