// tollgate explain RULE: what a finding means and what to do about it.
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/rules_text.h"
#include "report/style.h"
#include "report/suppression.h"
#include "report/text.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <unistd.h>

namespace tollgate::cli {

namespace {

using report::Style;

class ExplainCommand final : public Command {
public:
  ExplainCommand() : Command("explain", "What a rule means, an example that breaks it, and the fix") {}
  void options(CLI::App& app) override {
    app.add_option("RULE", rule_,
                   "The name in brackets of a finding, such as barrier-divergent; without one: the list");
  }

  int run() override {
    options_ = report::TextOptions::for_stream(STDOUT_FILENO, report::ColorMode::Auto);
    // Running text is easier to read in lines that are not too long, in a pipe as well.
    options_.width = options_.width == 0 ? 100 : std::min(options_.width, 100u);
    if (rule_.empty()) return list();
    const RuleText* text = find_rule(rule_);
    if (text == nullptr) {
      const std::string_view near = report::closest(rule_, rule_names());
      print_error("there is no rule " + rule_, (near.empty() ? "" : "did you mean " + std::string(near) + "? ") +
                                                   std::string("`tollgate explain` lists the rules"));
      return exit_usage;
    }
    print(*text);
    return 0;
  }

private:
  int list() const {
    for (const auto& text : rule_texts()) {
      const std::string name(text.rule);
      const std::string_view meaning = text.meaning;
      std::string first(meaning.substr(0, std::min(meaning.find(':'), meaning.find('.'))));
      if (!text.reported) first += " (not reported by this version)";
      std::printf("%s%s%s\n", report::paint(name, Style::Bold, options_.color).c_str(),
                  std::string(name.size() < 20 ? 20 - name.size() : 1, ' ').c_str(),
                  report::wrap(first, options_.width, 20, 20).c_str());
    }
    return 0;
  }

  void paragraph(const char* heading, std::string_view text) const {
    std::printf("\n%s\n  %s\n", report::paint(heading, Style::Bold, options_.color).c_str(),
                report::wrap(text, options_.width, 2, 2).c_str());
  }

  void code(const char* heading, std::string_view lines) const {
    std::printf("\n%s\n", report::paint(heading, Style::Bold, options_.color).c_str());
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      std::printf("  %s\n", std::string(lines.substr(at, end - at)).c_str());
      at = end + 1;
    }
  }

  void print(const RuleText& text) const {
    const Style style = text.severity.starts_with("error") ? Style::Error : Style::Warning;
    std::printf("%s (%s)\n", report::paint(text.rule, style, options_.color).c_str(),
                std::string(text.severity).c_str());
    if (!text.reported) std::printf("This version does not report it.\n");
    paragraph("What it means", text.meaning);
    const RuleExample* example = find_example(text.rule);
    if (example != nullptr) code("An example", example->broken);
    paragraph("What the documents say", text.standard);
    paragraph("What a device does", text.hardware);
    paragraph("What to change", text.fix);
    if (example == nullptr) return;
    code("The example repaired", example->fixed);
    std::printf("\nBoth are in examples/rules/%s/.\n", std::string(text.rule).c_str());
  }

  std::string rule_;
  report::TextOptions options_;
} explain_command;

} // namespace

} // namespace tollgate::cli
