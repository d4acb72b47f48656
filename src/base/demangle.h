#pragma once

#include <string>

namespace tollgate {

// The C++ name of a mangled symbol; any other name as it is.
[[nodiscard]] std::string demangle(const std::string& name);

// The same for a variable, without the function that it is local to: a finding names its kernel and line anyway.
[[nodiscard]] std::string demangle_variable(const std::string& name);

} // namespace tollgate
