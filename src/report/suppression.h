// What the user has decided to live with: entries of a suppression file, comments beside the code.
//
//   # tollgate.supp
//   [race-same-value]
//   kernel = find*                # * and ? stand for any text and any character, of the name that findings show
//   at     = src/find.cu:12-20    # the end of a path, with a line or lines, or without
//   reason = all threads write 1
//
//   *found = 1; // tollgate: allow race-same-value all threads write 1
#pragma once

#include "base/result.h"
#include "observe/finding.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::report {

struct Suppression {
  std::string rule;
  std::string kernel;                     // empty: any
  std::string file;                       // empty: any; "*" is no wildcard here
  unsigned first_line = 0, last_line = 0; // 0: any
  std::string reason;
  std::string origin;     // "tollgate.supp:3"
  unsigned long used = 0; // findings that it matched

  [[nodiscard]] bool matches(const observe::Finding& finding) const;
};

// `rules` are the names that exist; `name` is what errors call the text. not-modelled cannot be suppressed: a verdict
// of `clean` would then be untrue.
[[nodiscard]] Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& name,
                                                                  std::span<const std::string_view> rules);

// "RULE[,RULE...] reason" behind `// tollgate: allow` in a source line; nullopt if the line holds no such comment.
struct Allowance {
  std::vector<std::string> rules;
  std::string reason;
};
[[nodiscard]] Result<std::optional<Allowance>> parse_allowance(std::string_view line,
                                                               std::span<const std::string_view> rules);

// `*` any text, `?` any one character.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

// The name in `names` that is closest to a misspelt one, or an empty string.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> names);

} // namespace tollgate::report
