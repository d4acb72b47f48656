#pragma once

#include <string>

namespace tollgate {

// "program+0x123": the module that holds this address of machine code, and the offset in it; empty if none does.
[[nodiscard]] std::string code_place(const void* address);

} // namespace tollgate
