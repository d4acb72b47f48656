#include "cli/output.h"

#include "cli/command.h"
#include "cli/rules_text.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tollgate::cli {

namespace {

// Up to the first full stop or colon that ends a word.
std::string first_sentence(std::string_view text) {
  const size_t end = std::min(text.find(". "), text.find(": "));
  std::string out(text.substr(0, end));
  if (!out.ends_with('.')) out += '.';
  return out;
}

report::SarifOptions sarif_options() {
  report::SarifOptions options;
  options.version = TOLLGATE_VERSION;
  std::error_code ignored;
  options.root = report::repository_root(std::filesystem::current_path(ignored).string());
  for (const RuleText& text : rule_texts()) {
    report::SarifRule rule;
    rule.id = text.rule;
    rule.summary = first_sentence(text.meaning);
    rule.description = text.meaning;
    rule.help = "What the documents say: " + std::string(text.standard) +
                "\n\nWhat a device does: " + std::string(text.hardware) +
                "\n\nWhat to change: " + std::string(text.fix);
    rule.severity = text.severity.starts_with("error")     ? observe::Severity::Error
                    : text.severity.starts_with("warning") ? observe::Severity::Warning
                                                           : observe::Severity::Note;
    options.rules.push_back(std::move(rule));
  }
  return options;
}

std::string rendered(const report::Report& report, const Output& output, const report::TextOptions& text) {
  switch (output.format) {
  case Format::Json: return report::dump(report::to_json(report), 2) + "\n";
  case Format::Sarif: return report::dump(report::to_sarif(report, sarif_options()), 2) + "\n";
  case Format::Text: break;
  }
  return report::render_report(report, text);
}

bool put(const std::string& text, std::FILE* stream) {
  std::fwrite(text.data(), 1, text.size(), stream);
  return std::fflush(stream) == 0 && std::ferror(stream) == 0;
}

// The report could not go where it was meant to: it must not be lost.
bool lost(const Error& error, const report::Report& report, const Output& output) {
  print_error(error.message, error.remedy);
  auto options = report::TextOptions::for_stream(STDERR_FILENO, output.color);
  options.verbose = output.verbose;
  put(report::render_report(report, options), stderr);
  return false;
}

} // namespace

bool emit(const report::Report& report, const Output& output) {
  if (!output.file.empty()) {
    report::TextOptions options;
    options.color = output.color == report::ColorMode::Always;
    options.verbose = output.verbose;
    const auto written = report::write_whole(output.file, rendered(report, output, options));
    return written ? true : lost(written.error(), report, output);
  }
  const bool text = output.format == Format::Text;
  auto options = report::TextOptions::for_stream(STDERR_FILENO, output.color);
  options.verbose = output.verbose;
  const bool good = put(rendered(report, output, options), text ? stderr : stdout);
  if (good || text) return true; // where standard error is closed nobody is left to be told
  Error error;
  error.message = std::string("cannot write the report to standard output: ") + std::strerror(errno);
  error.remedy = "name a file with --output";
  return lost(error, report, output);
}

std::span<const std::string_view> rule_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const RuleText& text : rule_texts()) all.push_back(text.rule);
    return all;
  }();
  return names;
}

} // namespace tollgate::cli
