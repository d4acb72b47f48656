#include "cli/command.h"

#include <cstdio>

namespace tollgate::cli {

namespace {

class VersionCommand final : public Command {
public:
  VersionCommand() : Command("version", "Print the version") {}
  void options(CLI::App&) override {}
  int run() override {
    std::puts("tollgate " TOLLGATE_VERSION);
    return 0;
  }
} version_command;

} // namespace

} // namespace tollgate::cli
