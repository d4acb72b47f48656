#pragma once

#include <string>

namespace tollgate {

// The C++ name of a mangled symbol; any other name as it is.
[[nodiscard]] std::string demangle(const std::string& name);

} // namespace tollgate
