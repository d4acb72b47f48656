// Checks of a parsed module that need more than the table row: predicate registers, vector lengths, call signatures.
#pragma once

#include "base/result.h"
#include "ptx/module.h"

namespace tollgate::ptx {

Result<void> verify(const Module& module);

} // namespace tollgate::ptx
