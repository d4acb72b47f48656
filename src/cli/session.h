// One `run` or `check`: prepare the program, start it with our runtime, collect what its processes report, say it.
#pragma once

#include "engine/engine.h"
#include "report/text.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tollgate::cli {

enum class Format { Text, Json };
enum class FailOn { Error, Warning, Never };

struct SessionOptions {
  engine::Config::Mode mode = engine::Config::Mode::Run;
  Format format = Format::Text;
  std::string output;          // %p: process id of the program
  report::ColorMode color = report::ColorMode::Auto;
  FailOn fail_on = FailOn::Error;
  int error_exitcode = 99;
  double timeout_seconds = 0;
  uint64_t seed = 0;
  unsigned threads = 0;
  std::string arch;            // empty: sm_80, or what the program needs
  std::string kernel_filter;
  std::string launch;
  std::string runtime_dir;
  std::vector<std::string> nvcc_flags;
  bool as_built = false;       // do not switch the optimiser off for a .cu file
  std::vector<std::string> command; // PROG and what follows it

  // Declares the options on a sub-command; values arrive when it is parsed.
  void declare(CLI::App& app);
};

// Returns the exit code of the tool.
[[nodiscard]] int run_session(const SessionOptions& options);

// Exit code and verdict by the rules of docs/rules.md, from what was found and how the program ended.
[[nodiscard]] int exit_code_for(const report::Report& report, const SessionOptions& options, int program_code);

} // namespace tollgate::cli
