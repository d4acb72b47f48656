#include "cli/fail_on.h"

#include "report/suppression.h"

#include <algorithm>

namespace tollgate::cli {

using observe::Severity;

namespace {

Error wrong(std::string message, std::string remedy) {
  Error error;
  error.message = "--fail-on: " + message;
  error.remedy = std::move(remedy);
  return error;
}

std::optional<Severity> severity_named(std::string_view word) {
  if (word == "error") return Severity::Error;
  if (word == "warning") return Severity::Warning;
  if (word == "note") return Severity::Note;
  return std::nullopt;
}

} // namespace

bool FailOn::reached(const observe::Finding& finding) const {
  return (severity && finding.severity >= *severity) || std::any_of(rules.begin(), rules.end(), [&](const auto& rule) {
           return report::matches_pattern(rule, finding.rule);
         });
}

Result<FailOn> parse_fail_on(std::string_view text, std::span<const std::string_view> rules) {
  FailOn fail_on{.severity = std::nullopt, .rules = {}};
  if (text == "never") return fail_on;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (const auto severity = severity_named(word)) {
      if (fail_on.severity) return wrong("two severities", "name the milder one: it includes those above it");
      fail_on.severity = severity;
      continue;
    }
    if (word == "never") return wrong("never stands alone", "leave the others out, or leave never out");
    const bool exists = !word.empty() && std::any_of(rules.begin(), rules.end(), [&](std::string_view rule) {
      return report::matches_pattern(word, rule);
    });
    if (!exists) {
      const std::string_view near = report::closest(word, rules);
      return wrong("`" + std::string(word) + "` is neither a severity nor a rule",
                   (near.empty() ? std::string() : "did you mean " + std::string(near) + "? ") +
                       "write error, warning, note, never, or rules such as race-* (`tollgate explain` lists them)");
    }
    fail_on.rules.emplace_back(word);
  }
  return fail_on;
}

} // namespace tollgate::cli
