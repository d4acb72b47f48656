// --fail-on: which findings set the exit code.
#pragma once

#include "base/result.h"
#include "report/report.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::cli {

struct FailOn {
  std::optional<observe::Severity> severity = observe::Severity::Error; // this one and worse
  std::vector<std::string> rules;                                       // patterns of rule names, whatever the severity

  [[nodiscard]] bool reached(const observe::Finding& finding) const;
};

// "error", "warning", "note", "never", or rule names and one severity, parted by commas: "error,race-same-value",
// "barrier-*". With rules alone no severity counts.
[[nodiscard]] Result<FailOn> parse_fail_on(std::string_view text, std::span<const std::string_view> rules);

} // namespace tollgate::cli
