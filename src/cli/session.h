// One `run` or `check`: prepare the program, start it with our runtime, collect what its processes report, say it.
#pragma once

#include "cli/fail_on.h"
#include "cli/output.h"
#include "engine/engine.h"
#include "report/judge.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tollgate::cli {

struct SessionOptions {
  engine::Config::Mode mode = engine::Config::Mode::Run;
  Output output; // %p in its file: process id of the program
  FailOn fail_on;
  std::vector<std::string> suppression_files;
  std::string baseline; // an earlier report
  int error_exitcode = 99;
  double timeout_seconds = 0;
  uint64_t seed = 0;
  unsigned schedules = 1; // check: runs under so many seeds, findings of all
  bool ptx_model = false;
  unsigned threads = 0;
  std::string arch; // empty: sm_80, or what the program needs
  std::string kernel_filter;
  std::vector<std::string> enabled; // rules that are off by default
  std::string launch;
  unsigned shard = 0, shards = 0; // 2/4: every fourth launch from the second on is checked; 0: all
  std::string runtime_dir;
  std::vector<std::string> nvcc_flags;
  bool no_races = false;            // leave the race checker out
  bool as_built = false;            // do not switch the optimiser off for a .cu file
  std::vector<std::string> command; // PROG and what follows it

  // Declares the options on a sub-command; values arrive when it is parsed.
  void declare(CLI::App& app);
};

// Reads the files that say what is accepted already; the error names the place.
[[nodiscard]] Result<report::Decisions> read_decisions(const std::vector<std::string>& suppression_files,
                                                       const std::string& baseline);

// Options that `merge` has as well.
void declare_output(CLI::App& app, Output& output);
void declare_decisions(CLI::App& app, FailOn& fail_on, int& error_exitcode, std::vector<std::string>& suppression_files,
                       std::string& baseline);

// Returns the exit code of the tool.
[[nodiscard]] int run_session(const SessionOptions& options);

// Exit code and verdict by the rules of docs/rules.md, from what was found and how the program ended.
[[nodiscard]] int exit_code_for(const report::Report& report, const FailOn& fail_on, int error_exitcode,
                                int program_code);

} // namespace tollgate::cli
