// Runs the user's program as a child: same terminal, same process group, signals passed on, an optional time limit.
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <vector>

namespace tollgate::cli {

struct ProcessRequest {
  std::string executable;                         // a path
  std::vector<std::string> arguments;             // argv, including argv[0]
  std::map<std::string, std::string> environment; // set in addition to the present one
  double timeout_seconds = 0;                     // 0: none
};

struct ProcessOutcome {
  long pid = 0;
  int exit_code = 0; // where `signal` is 0
  int signal = 0;    // that ended it
  bool timed_out = false;
  bool interrupted = false; // the user pressed ctrl-C (or sent a signal to this process)
};

[[nodiscard]] Result<ProcessOutcome> run_process(const ProcessRequest& request);

// Runs a tool and collects what it prints on standard output; standard error is dropped. Empty on failure.
[[nodiscard]] std::string output_of(const std::vector<std::string>& command);

// Replaces this process; returns only on failure, with the reason.
[[nodiscard]] std::string replace_process(const std::vector<std::string>& command);

} // namespace tollgate::cli
