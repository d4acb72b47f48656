// The examples of `tollgate explain`, from examples/rules by cmake/EmbedExamples.cmake.
#pragma once

#include <cstddef>
#include <string_view>

namespace tollgate::cli {

struct RuleExample {
  std::string_view rule;
  std::string_view broken, fixed; // the smallest program that breaks the rule, and its repair: whole lines
};

extern const RuleExample rule_examples[];
extern const size_t rule_example_count;

} // namespace tollgate::cli
