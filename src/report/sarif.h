// SARIF 2.1.0 (OASIS Standard, 27 March 2020): the same report, for services that show findings beside the code.
#pragma once

#include "report/json.h"

#include <string>
#include <vector>

namespace tollgate::report {

// What the tool says about a rule, whether it fired or not.
struct SarifRule {
  std::string id, summary, description, help;
  observe::Severity severity = observe::Severity::Error;
};

struct SarifOptions {
  std::string version; // of the tool
  std::vector<SarifRule> rules;
  std::string root; // folder to which paths are made relative; files outside it keep absolute URIs
};

// Columns count code points; where the source cannot be read they stay bytes, as the compiler counts them.
[[nodiscard]] Json to_sarif(const Report& report, const SarifOptions& options);

// A log that to_sarif has written: each result carries its finding in its property bag.
[[nodiscard]] Result<Report> report_from_sarif(const Json& json);

// The nearest folder above `from` that holds a repository (.git), else `from` itself.
[[nodiscard]] std::string repository_root(const std::string& from);

} // namespace tollgate::report
