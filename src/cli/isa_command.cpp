// tollgate isa [PATTERN] [--arch sm_XX]: the table of PTX forms, as the parser and the lowering use it; for one
// architecture also which atomic functions are instructions there.
#include "base/atomic_table.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "ptx/inst_table.h"
#include "ptx/isa.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <regex>

namespace tollgate::cli {

namespace {

class IsaCommand final : public Command {
public:
  IsaCommand() : Command("isa", "Which PTX forms are supported") {}
  void options(CLI::App& app) override {
    app.add_option("PATTERN", pattern_, "Only forms that match this regular expression, such as '^atom'");
    app.add_option("--arch", arch_,
                   "Only forms that this architecture has, and which atomic functions are one instruction of it")
        ->option_text("sm_XX");
    app.add_flag("--unsupported", unsupported_, "Only forms that are known but not run");
    app.add_flag("--markdown", markdown_, "The whole table as a document: docs/ptx-coverage.md");
  }

  int run() override {
    if (markdown_) {
      std::fputs(ptx::coverage_markdown().c_str(), stdout);
      return 0;
    }
    std::regex wanted;
    try {
      wanted = std::regex(pattern_);
    } catch (const std::regex_error& problem) {
      print_error("'" + pattern_ + "' is not a regular expression: " + problem.what());
      return exit_usage;
    }
    int sm = 0;
    if (!arch_.empty() && !read_arch(sm)) return exit_usage;
    size_t shown = 0, missing = 0;
    for (const auto& form : ptx::inst_table()) {
      const bool absent = (form.flags & ptx::Unsupported) != 0;
      if (unsupported_ && !absent) continue;
      if (sm != 0 && form.min_sm > sm) continue;
      if (!std::regex_search(form.syntax.begin(), form.syntax.end(), wanted)) continue;
      const char* state = absent ? "not run" : (form.flags & ptx::Approximate) != 0 ? "approx." : "ok";
      std::printf("%-8s %-12s %.*s\n", state, std::string(form.section).c_str(), static_cast<int>(form.syntax.size()),
                  form.syntax.data());
      ++shown;
      missing += absent;
    }
    if (shown == 0) {
      print_error(pattern_.empty() ? "there are no such forms" : "no PTX form matches '" + pattern_ + "'");
      return 1;
    }
    std::printf("%zu forms, %zu of them not run\n", shown, missing);
    if (sm != 0 && (std::regex_search("atom", wanted) || std::regex_search("red", wanted)))
      std::printf("\n%s", atomic_text(sm).c_str());
    return 0;
  }

private:
  bool read_arch(int& sm) const {
    std::string known;
    for (const int arch : atomic_archs()) {
      known += (known.empty() ? "sm_" : ", sm_") + std::to_string(arch);
      if (arch_ == "sm_" + std::to_string(arch)) sm = arch;
    }
    if (sm == 0)
      print_error("'" + arch_ + "' is no architecture that the table of atomic functions has: write one of " + known);
    return sm != 0;
  }

  std::string pattern_, arch_;
  bool unsupported_ = false, markdown_ = false;
} isa_command;

} // namespace

} // namespace tollgate::cli
