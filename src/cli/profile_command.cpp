#include "cli/command.h"
#include "cli/exit_codes.h"

#include <CLI/CLI.hpp>

namespace tollgate::cli {

namespace {

class ProfileCommand final : public Command {
public:
  ProfileCommand() : Command("profile", "What atomics, bank conflicts and barriers cost (not in this version)") {}
  void options(CLI::App& app) override { app.prefix_command(); }
  int run() override {
    print_error("this version cannot profile yet", "`tollgate run` and `tollgate check` work");
    return exit_tool_failed;
  }
} profile_command;

} // namespace

} // namespace tollgate::cli
