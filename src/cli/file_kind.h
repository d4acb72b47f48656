// What a file is that somebody gave as a program, where it is none: from its name and its first bytes.
#pragma once

#include <optional>
#include <string>

namespace tollgate::cli {

struct Useless {
  std::string what; // "is an object file": follows the path
  std::string remedy;
};

// nullopt: it may be a program (an executable, or a script with its #! line).
[[nodiscard]] std::optional<Useless> why_no_program(const std::string& path);

} // namespace tollgate::cli
