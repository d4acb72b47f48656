#include "report/suppression.h"

#include "report/place.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace tollgate::report {

namespace {

constexpr std::string_view untrue = "not-modelled cannot be suppressed: it says that the verdict is incomplete";
constexpr std::string_view untrue_remedy = "look at the other kernels only, with --kernel";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string unknown_rule(std::string_view word) { return "there is no rule " + std::string(word); }

std::string rule_remedy(std::string_view word, std::span<const std::string_view> rules) {
  const std::string_view near = closest(word, rules);
  return near.empty() ? "`tollgate explain` lists the rules"
                      : "did you mean " + std::string(near) + "? `tollgate explain` lists the rules";
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool number(std::string_view text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value != 0;
}

// The end of a path, whole components only: "b/a.cu" is meant by "/x/b/a.cu" and not by "/x/bb/a.cu".
bool path_ends_with(std::string_view path, std::string_view end) {
  if (end.starts_with("./")) end.remove_prefix(2);
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || end.starts_with('/') || path[path.size() - end.size() - 1] == '/';
}

class Parser {
public:
  Parser(const std::string& name, std::span<const std::string_view> rules) : name_(name), rules_(rules) {}

  Result<std::vector<Suppression>> parse(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      line_ = text.substr(0, end);
      text.remove_prefix(std::min(text.size(), end + 1));
      ++number_;
      if (auto good = take(); !good) return good.error();
    }
    line_ = {};
    if (auto good = finish_entry(); !good) return good.error();
    return std::move(entries_);
  }

private:
  Error problem(std::string message, std::string_view remedy, std::string_view at = {}) const {
    Error error;
    error.message = std::move(message);
    error.remedy = remedy;
    error.file = name_;
    error.position.line = number_;
    error.excerpt = std::string(line_);
    if (!at.empty()) error.position.column = static_cast<unsigned>(at.data() - line_.data()) + 1;
    return error;
  }

  Result<void> take() {
    std::string_view content = trimmed(line_.substr(0, comment_start()));
    if (content.empty()) return {};
    if (content.front() == '[') return begin_entry(content);
    const size_t equals = content.find('=');
    if (equals == std::string_view::npos)
      return problem("this line is neither a rule in brackets nor `key = value`",
                     "write [RULE], kernel = PATTERN, at = FILE:LINE or reason = TEXT; comments start with #", content);
    if (entries_.empty())
      return problem("a value stands before the first rule", "write [RULE] on a line of its own first", content);
    return take_value(trimmed(content.substr(0, equals)), trimmed(content.substr(equals + 1)));
  }

  // A '#' begins a comment at the start of a line and behind a space: paths and reasons may hold "issue#12".
  size_t comment_start() const {
    for (size_t i = 0; i < line_.size(); ++i)
      if (line_[i] == '#' && (i == 0 || line_[i - 1] == ' ' || line_[i - 1] == '\t')) return i;
    return line_.size();
  }

  Result<void> begin_entry(std::string_view content) {
    if (auto good = finish_entry(); !good) return good;
    if (content.back() != ']')
      return problem("the bracket is not closed", "write [RULE] and nothing behind it", content);
    const std::string_view rule = trimmed(content.substr(1, content.size() - 2));
    if (rule == "not-modelled") return problem(std::string(untrue), untrue_remedy, content);
    if (!contains(rules_, rule)) return problem(unknown_rule(rule), rule_remedy(rule, rules_), content);
    Suppression entry;
    entry.rule = rule;
    entry.origin = name_ + ":" + std::to_string(number_);
    entries_.push_back(std::move(entry));
    begun_ = number_;
    begun_line_ = line_;
    return {};
  }

  Result<void> take_value(std::string_view key, std::string_view value) {
    Suppression& entry = entries_.back();
    if (key != "kernel" && key != "at" && key != "reason")
      return problem("there is no key " + std::string(key), "the keys are kernel, at and reason",
                     key.empty() ? line_ : key);
    if (value.empty()) return problem("the value of " + std::string(key) + " is missing", "write it behind the =", key);
    const bool twice = key == "kernel" ? !entry.kernel.empty()
                       : key == "at"   ? !entry.file.empty()
                                       : !entry.reason.empty();
    if (twice)
      return problem(std::string(key) + " stands twice in this entry", "begin another entry with [" + entry.rule + "]",
                     key);
    if (key == "kernel") entry.kernel = value;
    if (key == "reason") entry.reason = value;
    return key == "at" ? take_place(entry, value) : Result<void>();
  }

  Result<void> take_place(Suppression& entry, std::string_view value) {
    entry.file = value;
    const size_t colon = value.rfind(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view lines = value.substr(colon + 1);
    const size_t dash = lines.find('-');
    const bool good = colon != 0 && number(lines.substr(0, dash), entry.first_line) &&
                      (dash == std::string_view::npos || number(lines.substr(dash + 1), entry.last_line));
    if (dash == std::string_view::npos) entry.last_line = entry.first_line;
    if (!good || entry.last_line < entry.first_line)
      return problem("`" + std::string(value) + "` is no place", "write FILE, FILE:LINE or FILE:FIRST-LAST", value);
    entry.file = value.substr(0, colon);
    return {};
  }

  // Complaints about what is missing point at the entry's first line.
  Result<void> finish_entry() {
    if (entries_.empty()) return {};
    const Suppression& entry = entries_.back();
    const unsigned here = std::exchange(number_, begun_);
    const std::string_view line = std::exchange(line_, begun_line_);
    if (entry.reason.empty()) return problem("this entry gives no reason", "add a line reason = WHY THIS IS RIGHT");
    if (entry.kernel.empty() && entry.file.empty())
      return problem("this entry says neither which kernel nor which place",
                     "add kernel = PATTERN or at = FILE:LINE; kernel = * means all");
    number_ = here;
    line_ = line;
    return {};
  }

  const std::string& name_;
  std::span<const std::string_view> rules_;
  std::vector<Suppression> entries_;
  std::string_view line_, begun_line_;
  unsigned number_ = 0, begun_ = 0;
};

unsigned distance(std::string_view a, std::string_view b) {
  std::vector<unsigned> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const unsigned above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

} // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> names) {
  std::string_view best;
  unsigned least = 4; // more changes than that are another word
  if (word.size() > 64) return best;
  for (const std::string_view name : names)
    if (const unsigned changes = distance(word, name); changes < least) {
      least = changes;
      best = name;
    }
  return best;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // After a mismatch the last star takes one more character: no pattern is slow.
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool Suppression::matches(const observe::Finding& finding) const {
  if (finding.rule != rule) return false;
  if (!kernel.empty() && !matches_pattern(kernel, finding.kernel)) return false;
  if (file.empty()) return true;
  const auto here = [&](const observe::Side& side) {
    if (!has_line(side.at)) return false;
    const observe::SourceFrame& frame = side.at.stack[shown_frame(side.at)];
    return path_ends_with(frame.file, file) &&
           (first_line == 0 || (frame.line >= first_line && frame.line <= last_line));
  };
  return here(finding.at) || std::any_of(finding.others.begin(), finding.others.end(), here);
}

Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string& name,
                                                    std::span<const std::string_view> rules) {
  return Parser(name, rules).parse(text);
}

Result<std::optional<Allowance>> parse_allowance(std::string_view line, std::span<const std::string_view> rules) {
  constexpr std::string_view mark = "tollgate: allow";
  const size_t comment = line.find("//");
  const size_t at = comment == std::string_view::npos ? comment : line.find(mark, comment);
  // Nothing but spaces between the slashes and the mark: elsewhere somebody only writes about it.
  if (at == std::string_view::npos ||
      !trimmed(line.substr(line.rfind("//", at) + 2, at - line.rfind("//", at) - 2)).empty())
    return std::optional<Allowance>();
  const auto problem = [&](std::string message, std::string_view remedy) {
    Error error;
    error.message = std::move(message);
    error.remedy = remedy;
    error.excerpt = std::string(line);
    error.position.column = static_cast<unsigned>(at) + 1;
    return error;
  };
  std::string_view rest = trimmed(line.substr(at + mark.size()));
  std::string_view names = rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
  if (names.empty()) return problem("the rule is missing", "write // tollgate: allow RULE reason");
  Allowance allowance;
  allowance.reason = trimmed(rest.substr(names.size()));
  while (!names.empty()) {
    const std::string_view rule = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), rule.size() + 1));
    if (rule == "not-modelled") return problem(std::string(untrue), untrue_remedy);
    if (!contains(rules, rule)) return problem(unknown_rule(rule), rule_remedy(rule, rules));
    allowance.rules.emplace_back(rule);
  }
  if (allowance.reason.empty()) return problem("the reason is missing", "write // tollgate: allow RULE reason");
  return std::optional<Allowance>(std::move(allowance));
}

} // namespace tollgate::report
