// PTX text -> Module. Names resolved, every instruction matched against the table, operand counts and kinds verified.
#pragma once

#include "base/result.h"
#include "ptx/module.h"

#include <memory>
#include <string_view>

namespace tollgate::ptx {

// `name` is what diagnostics call the text. Errors name line, column and the remedy; the first error ends the parse.
// An instruction whose row is marked Unsupported parses: whether that is an error is decided when it is lowered.
Result<std::shared_ptr<const Module>> parse_module(std::string_view text, std::string_view name);

} // namespace tollgate::ptx
