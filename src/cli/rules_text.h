// The text of `tollgate explain`: one entry for each rule.
#pragma once

#include "cli/rule_examples.h"

#include <span>
#include <string_view>

namespace tollgate::cli {

struct RuleText {
  std::string_view rule, severity;
  std::string_view meaning;  // what the finding says
  std::string_view standard; // what the CUDA and PTX documents demand
  std::string_view hardware; // what a real device does
  std::string_view fix;
  bool reported = true; // false: this version explains the mistake and does not look for it
};

[[nodiscard]] std::span<const RuleText> rule_texts();
[[nodiscard]] const RuleText* find_rule(std::string_view name);
[[nodiscard]] const RuleExample* find_example(std::string_view rule);

} // namespace tollgate::cli
