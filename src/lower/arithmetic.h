// The pure instructions: those whose result depends on their operands only.
#pragma once

#include "lower/lane_builder.h"

#include <span>
#include <string_view>

namespace llvm {
class Function;
}

namespace tollgate::lower {

// The lowering function of a pure instruction by its base mnemonic ("add", "setp", "cvt"; "cvt.pack" is found under
// "cvt" as well); null when the mnemonic is not one of the pure ones.
LowerFn find_arithmetic(std::string_view mnemonic);

// Every mnemonic find_arithmetic knows, sorted.
std::span<const std::string_view> arithmetic_mnemonics();

// An operation on f32 yields the canonical NaN 0x7fffffff (PTX ISA 5.2.2 and the hardware). Lowering writes that as a
// select behind every operation; where only further float arithmetic sees the value, the select changes nothing.
// This removes those selects from a function in SSA form and returns how many went.
unsigned drop_unseen_nan_selects(llvm::Function& function);

} // namespace tollgate::lower
