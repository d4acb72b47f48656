// Where reports go, and in which form.
#pragma once

#include "report/report.h"
#include "report/text.h"

#include <span>
#include <string>
#include <string_view>

namespace tollgate::cli {

enum class Format { Text, Json, Sarif };

struct Output {
  Format format = Format::Text;
  std::string file; // empty: text to standard error, the others to standard output
  report::ColorMode color = report::ColorMode::Auto;
  bool verbose = false;
};

// False where the report could not be written: then the reason and the findings themselves went to standard error.
[[nodiscard]] bool emit(const report::Report& report, const Output& output);

// The names of all rules, in the order of `tollgate explain`.
[[nodiscard]] std::span<const std::string_view> rule_names();

} // namespace tollgate::cli
