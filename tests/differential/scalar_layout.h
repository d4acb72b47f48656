// Where the interpreter's memory lies. The numbers mean nothing; they only differ from space to space.
#pragma once

#include <cstdint>

namespace tollgate::differential {

constexpr uint64_t kFunctionBase = 0x100;
constexpr uint64_t kSharedBase = 0x1000'0000'0000; // window of the block's shared memory in the generic space
constexpr uint64_t kVariableBase = 0x2000'0000'0000;
constexpr uint64_t kLocalBase = 0x3000'0000'0000;
constexpr uint64_t kLocalStride = 1 << 20;
constexpr uint64_t kParamBase = 0x4000'0000'0000;  // kernel parameters
constexpr uint64_t kGlobalBase = 0x5000'0000'0000; // buffers of the launch

} // namespace tollgate::differential
