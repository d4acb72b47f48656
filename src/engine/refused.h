// Where an instruction stands that could not be compiled: it has no site, only its line in the PTX.
#pragma once

#include "base/result.h"
#include "observe/site.h"
#include "ptx/module.h"

#include <string_view>

namespace tollgate::engine {

// The stack begins at the instruction and follows calls back to the kernel, of several ways the first in the text.
[[nodiscard]] observe::Place place_of_refusal(const ptx::Module& module, std::string_view kernel, const Error& error);

} // namespace tollgate::engine
