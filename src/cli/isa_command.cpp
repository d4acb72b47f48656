// tollgate isa [PATTERN]: the table of PTX forms, as the parser and the lowering use it.
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "ptx/inst_table.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <regex>

namespace tollgate::cli {

namespace {

constexpr const char* markdown_head =
    "# PTX coverage\n\n"
    "Made by `tollgate isa --markdown` out of src/ptx/ptx_inst.def; the test cli.coverage holds it to that. One row for\n"
    "each form as the PTX manual writes it: *ok* gives the manual's result, *approx.* a result within the error that the\n"
    "manual states, *not run* is known to the parser, and a kernel that reaches it ends with a `not-modelled` finding.\n\n"
    "| form | values of its slots | state | manual | PTX | sm |\n|---|---|---|---|---|---|\n";

const char* state_of(const ptx::InstForm& form) {
  if ((form.flags & ptx::Unsupported) != 0) return "not run";
  return (form.flags & ptx::Approximate) != 0 ? "approx." : "ok";
}

void print_line(const ptx::InstForm& form) {
  std::printf("%-8s %-12s %.*s\n", state_of(form), std::string(form.section).c_str(),
              static_cast<int>(form.syntax.size()), form.syntax.data());
}

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out.empty() ? out : "`" + out + "`";
}

void print_row(const ptx::InstForm& form) {
  std::printf("| %s | %s | %s | %s | %u.%u | %u |\n", cell(form.syntax).c_str(), cell(form.slots).c_str(),
              state_of(form), std::string(form.section).c_str(), form.min_ptx / 10u, form.min_ptx % 10u, unsigned{form.min_sm});
}

class IsaCommand final : public Command {
public:
  IsaCommand() : Command("isa", "Which PTX forms are supported") {}
  void options(CLI::App& app) override {
    app.add_option("PATTERN", pattern_, "Only forms that match this regular expression, such as '^atom'");
    app.add_flag("--unsupported", unsupported_, "Only forms that are known but not run");
    app.add_flag("--markdown", markdown_, "As the document docs/ptx-coverage.md");
  }

  int run() override {
    std::regex wanted;
    try {
      wanted = std::regex(pattern_);
    } catch (const std::regex_error& problem) {
      print_error("'" + pattern_ + "' is not a regular expression: " + problem.what());
      return exit_usage;
    }
    size_t shown = 0, missing = 0;
    if (markdown_) std::fputs(markdown_head, stdout);
    for (const auto& form : ptx::inst_table()) {
      const bool absent = (form.flags & ptx::Unsupported) != 0;
      if (unsupported_ && !absent) continue;
      if (!std::regex_search(form.syntax.begin(), form.syntax.end(), wanted)) continue;
      if (markdown_)
        print_row(form);
      else
        print_line(form);
      ++shown;
      missing += absent;
    }
    if (shown == 0) {
      print_error(pattern_.empty() ? "there are no such forms" : "no PTX form matches '" + pattern_ + "'");
      return 1;
    }
    std::printf(markdown_ ? "\n%zu forms, %zu of them not run.\n" : "%zu forms, %zu of them not run\n", shown, missing);
    return 0;
  }

private:
  std::string pattern_;
  bool unsupported_ = false, markdown_ = false;
} isa_command;

} // namespace

} // namespace tollgate::cli
