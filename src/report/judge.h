// Takes out of a report what the user has decided to live with, before verdict and exit code are made.
#pragma once

#include "report/baseline.h"
#include "report/report.h"
#include "report/source.h"
#include "report/suppression.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tollgate::report {

struct Decisions {
  std::vector<Suppression> suppressions; // of all files
  std::optional<Baseline> baseline;
  std::span<const std::string_view> rules; // that exist
};

// Moves findings to `suppressed` (comments in the source first, then files) and `known`; says in `remarks` which
// entries matched nothing and which comments cannot be understood. `sources` serves the comments and fingerprints.
void apply(Decisions decisions, Report& report, SourceCache& sources);

} // namespace tollgate::report
