// tollgate run and tollgate check: one session each, with different configurations.
#include "cli/command.h"
#include "cli/session.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tollgate::cli {

namespace {

class SessionCommand final : public Command {
public:
  SessionCommand(std::string name, std::string summary, engine::Config::Mode mode)
      : Command(std::move(name), std::move(summary)) {
    options_.mode = mode;
  }

  void options(CLI::App& app) override {
    app_ = &app;
    options_.declare(app);
  }

  int run() override {
    std::vector<std::string>& words = options_.command = app_->remaining();
    if (!words.empty() && words[0] == end_of_options)
      words.erase(words.begin()); // tollgate run -- PROG
    else
      std::replace(words.begin(), words.end(), std::string(end_of_options), std::string("--"));
    return run_session(options_);
  }

private:
  CLI::App* app_ = nullptr;
  SessionOptions options_;
};

SessionCommand run_command("run", "Run a CUDA program on the CPU: an executable, a script or a .cu file",
                           engine::Config::Mode::Run);
SessionCommand check_command("check", "The same with every check on; findings set the exit code",
                             engine::Config::Mode::Check);

} // namespace

} // namespace tollgate::cli
