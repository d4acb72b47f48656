// An earlier report that says what is known already: only what it does not hold is new.
#pragma once

#include "base/result.h"
#include "report/report.h"

#include <map>
#include <string>
#include <string_view>

namespace tollgate::report {

// How often each fingerprint is known: two equal lines of one function have the same.
struct Baseline {
  std::string name;
  std::map<std::string, unsigned> known;
};

// `text` is a report in JSON or SARIF, as this tool writes it. What was suppressed there is not known.
[[nodiscard]] Result<Baseline> parse_baseline(std::string_view text, const std::string& name);

} // namespace tollgate::report
