// Findings as text for people: a sentence, the source line with a caret, the other place, what to change.
#pragma once

#include "report/report.h"

#include <string>

namespace tollgate::report {

enum class ColorMode : uint8_t { Auto, Always, Never };

struct TextOptions {
  bool color = false;
  unsigned width = 0;   // of the terminal, in columns; 0: do not wrap (a pipe or a file)
  bool verbose = false; // the details of findings as well, and those that were suppressed or known

  // Auto: colour on a terminal unless NO_COLOR is set or TERM is "dumb"; never in a pipe.
  [[nodiscard]] static TextOptions for_stream(int descriptor, ColorMode mode);
};

// Ends with a newline.
[[nodiscard]] std::string render_finding(const observe::Finding& finding, const TextOptions& options);

// All findings, then what is missing for a verdict, then the summary line. Empty for a `run` that found nothing.
[[nodiscard]] std::string render_report(const Report& report, const TextOptions& options);

// "tollgate: 1 error, 2 warnings; verdict: findings"
[[nodiscard]] std::string summary_line(const Report& report);

} // namespace tollgate::report
