// Look-up of types and special registers by the name PTX gives them.
#pragma once

#include "ptx/module.h"

#include <optional>
#include <string_view>

namespace tollgate::ptx {

std::optional<Type> type_named(std::string_view name);          // "u32", without the dot
std::optional<SpecialReg> special_named(std::string_view name); // "%tid.x"

} // namespace tollgate::ptx
