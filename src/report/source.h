// Source excerpts: a file header, the lines that matter with a gutter, a marker and a label under each place.
#pragma once

#include "report/style.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tollgate::report {

// Reads source files once; a file that cannot be read simply has no lines.
class SourceCache {
public:
  [[nodiscard]] std::optional<std::string> line(const std::string& file, unsigned number);

private:
  std::map<std::string, std::vector<std::string>> files_;
};

// One place to mark in an excerpt.
struct Mark {
  unsigned line = 0, column = 0; // 1-based bytes, as the compiler counts; column 0: the first non-blank
  std::string label;
  bool primary = false; // "^^^" in the colour of the finding; otherwise "---"
};

struct ExcerptStyle {
  Style primary = Style::Error;
  bool color = false;
  unsigned gutter = 1; // digits of the largest line number in the finding
  unsigned width = 0;  // of the terminal; 0: unlimited
};

// The excerpt without its header line; empty if the file cannot be read or has fewer lines.
[[nodiscard]] std::string excerpt(SourceCache& sources, const std::string& file, std::vector<Mark> marks,
                                  const ExcerptStyle& style);

} // namespace tollgate::report
