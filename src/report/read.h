// Reports read back: what `--format json`, `--format sarif` and a checked process have written.
#pragma once

#include "base/result.h"
#include "report/report.h"

#include <string>
#include <string_view>

namespace tollgate::report {

// Findings come back whole from all three forms; a SARIF file must be one of this tool's. A process report without its
// summary is incomplete.
[[nodiscard]] Result<Report> parse_report(std::string_view text, const std::string& name);

// The file's text, or why it cannot be read.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

} // namespace tollgate::report
