// What the host program does with the value that a call returned.
#pragma once

#include <cstdint>

namespace tollgate::jit {

enum class ResultUse : uint8_t {
  Read,     // looked at, kept, or not to be told
  Returned, // handed on to the caller's caller
  Dropped   // overwritten unread on every path
};

// Decodes the machine code of this process from the return address of the call on.
[[nodiscard]] ResultUse result_use(const void* return_address);

} // namespace tollgate::jit
