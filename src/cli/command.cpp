#include "cli/command.h"

#include "report/style.h"
#include "report/text.h"

#include <cstdio>
#include <unistd.h>

namespace tollgate::cli {

Command::Command(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {
  all().push_back(this);
}

std::vector<Command*>& Command::all() {
  static std::vector<Command*> commands;
  return commands;
}

void print_error(const std::string& message, const std::string& remedy) {
  using report::Style;
  const auto options = report::TextOptions::for_stream(STDERR_FILENO, report::ColorMode::Auto);
  std::string out = "tollgate: " + report::paint("error", Style::Error, options.color) + ": " +
                    report::wrap(message, options.width, 17, 2) + "\n";
  if (!remedy.empty())
    out += "  " + report::paint("help", Style::Help, options.color) + ": " + report::wrap(remedy, options.width, 8, 8) +
           "\n";
  std::fputs(out.c_str(), stderr);
}

} // namespace tollgate::cli
