#include "cli/session.h"

#include "cli/command.h"
#include "cli/compile.h"
#include "cli/exit_codes.h"
#include "cli/launch_text.h"
#include "cli/paths.h"
#include "cli/preflight.h"
#include "cli/process.h"
#include "engine/config.h"
#include "report/process_report.h"
#include "report/read.h"
#include "report/write_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <unistd.h>

namespace tollgate::cli {

namespace fs = std::filesystem;
using engine::Config;
using observe::Severity;
using report::Report;

namespace {

int usage_error(const std::string& message, const std::string& remedy) {
  print_error(message, remedy);
  return exit_usage;
}

int tool_failed(const Error& error) {
  print_error(error.message, error.remedy);
  return exit_tool_failed;
}

// The program with its arguments, parted from compiler options where PROG is a .cu file.
struct CommandLine {
  std::string program;
  std::vector<std::string> compiler_options, arguments;
};

CommandLine split(const std::vector<std::string>& command, bool source) {
  CommandLine line;
  line.program = command.front();
  auto rest = command.begin() + 1;
  const auto divider = std::find(rest, command.end(), "--");
  if (source && divider != command.end()) {
    line.compiler_options.assign(rest, divider);
    rest = divider + 1;
  } else if (rest != command.end() && *rest == "--") {
    ++rest;
  }
  line.arguments.assign(rest, command.end());
  return line;
}

// sm_80 where nothing is said.
unsigned sm_of(const std::string& arch) {
  return arch.empty() ? 80 : static_cast<unsigned>(std::atoi(arch.c_str() + 3));
}

// The `.target sm_90a` line of a .ptx file; 0 if there is none.
unsigned target_of_ptx(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t at = line.find(".target");
    if (at == std::string::npos) continue;
    const size_t sm = line.find("sm_", at);
    return sm == std::string::npos ? 0 : static_cast<unsigned>(std::atoi(line.c_str() + sm + 3));
  }
  return 0;
}

class Session {
public:
  Session(const SessionOptions& options, Program program, std::string runtime, const std::string& scratch,
          report::Decisions decisions)
      : options_(options), decisions_(std::move(decisions)), program_(std::move(program)), runtime_(std::move(runtime)),
        scratch_(scratch), line_(split(options.command, program_.kind == ProgramKind::CudaSource)) {}

  int run() {
    for (const auto& warning : program_.warnings) std::fprintf(stderr, "tollgate: warning: %s\n", warning.c_str());
    if (auto ready = make_executable(); !ready) return tool_failed(ready.error());
    for (unsigned schedule = 0; schedule < options_.schedules; ++schedule) {
      const auto outcome = run_process(process_request(schedule));
      if (!outcome) return tool_failed(outcome.error());
      collect(schedule, *outcome);
      say_how_it_ended(*outcome);
      own_ends_.push_back(*outcome);
      if (outcome->interrupted || outcome->timed_out) break; // another seed would end no better
    }
    judge();
    return print(own_ends_.front()) ? report_.exit_code : exit_tool_failed;
  }

private:
  bool checking() const { return options_.mode == Config::Mode::Check; }

  Result<void> make_executable() {
    executable_ = program_.kind == ProgramKind::Ptx ? fs::read_symlink("/proc/self/exe").string() : program_.path;
    if (program_.kind != ProgramKind::CudaSource) return {};
    CompileRequest request;
    request.source = program_.path.starts_with("./") ? program_.path.substr(2) : program_.path;
    executable_ = request.output = scratch_ + "/" + fs::path(program_.path).stem().string();
    request.scratch = scratch_;
    request.runtime_folder = runtime_;
    request.sm = sm_of(options_.arch);
    request.unoptimised = unoptimised_ = checking() && !options_.as_built;
    request.flags = options_.nvcc_flags;
    request.flags.insert(request.flags.end(), line_.compiler_options.begin(), line_.compiler_options.end());
    if (auto compiled = compile_cuda(request); !compiled) return compiled;
    auto built = inspect_built(executable_, request.source);
    if (!built) return built.error();
    program_.least_capability = built->least_capability;
    return {};
  }

  // Reports of each schedule lie apart: process ids may come again.
  std::string report_folder(unsigned schedule) const {
    if (schedule == 0) return scratch_;
    const std::string folder = scratch_ + "/schedule-" + std::to_string(schedule + 1);
    std::error_code ignored;
    fs::create_directory(folder, ignored);
    return folder;
  }

  Config config(unsigned schedule) const {
    Config config;
    config.mode = options_.mode;
    config.workers = checking() ? 1 : options_.threads;
    config.seed = options_.seed + schedule;
    config.ptx_model = options_.ptx_model;
    config.sm = sm_of(options_.arch);
    if (options_.arch.empty())
      config.sm = std::max(config.sm, program_.kind == ProgramKind::Ptx ? target_of_ptx(program_.path)
                                                                        : program_.least_capability);
    config.report_path = report_folder(schedule) + "/%p.jsonl";
    config.unoptimised = unoptimised_;
    config.kernel_filter = options_.kernel_filter;
    config.enabled = options_.enabled;
    config.races = !options_.no_races;
    config.shard = options_.shard;
    config.shards = options_.shards;
    return config;
  }

  ProcessRequest process_request(unsigned schedule) const {
    ProcessRequest request;
    request.executable = executable_;
    request.arguments = {line_.program};
    if (program_.kind == ProgramKind::Ptx)
      request.arguments = {"tollgate", launch_ptx_command, program_.path, options_.launch};
    request.arguments.insert(request.arguments.end(), line_.arguments.begin(), line_.arguments.end());
    request.timeout_seconds = options_.timeout_seconds;
    const auto prepend = [&](const char* name, const std::string& value) {
      const char* present = std::getenv(name);
      request.environment[name] = value + (present != nullptr && *present != '\0' ? ":" + std::string(present) : "");
    };
    prepend("LD_LIBRARY_PATH", runtime_);
    if (program_.preload_runtime) prepend("LD_PRELOAD", runtime_ + "/libcudart.so.13");
    request.environment[engine::config_variable] = engine::to_json(config(schedule));
    return request;
  }

  // One file for each process that loaded our runtime, in the order in which they started.
  void collect(unsigned schedule, const ProcessOutcome& outcome) {
    std::vector<std::string> paths;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(report_folder(schedule), ignored))
      if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
      return std::atol(fs::path(a).stem().c_str()) < std::atol(fs::path(b).stem().c_str());
    });
    for (const auto& path : paths) {
      auto process = report::read_process_report(path);
      if (!process) {
        report_.incomplete.push_back("a report could not be read: " + process.error().to_string());
        continue;
      }
      ++processes_;
      for (auto& finding : process->findings) report_.findings.add(std::move(finding));
      report_.findings.add_dropped(process->dropped);
      report_.merge(process->summary);
      const bool explained =
          process->pid == outcome.pid && (outcome.timed_out || outcome.interrupted || outcome.signal);
      if (checking() && process->replaced) say_cut_off(*process, "started another program in its place (exec)");
      if (checking() && !process->finished && !explained) say_cut_off(*process, "ended by _exit(), exec or a signal");
    }
  }

  // How a program ends is its own affair where it merely runs; kernels that it did not wait for were not checked.
  void say_cut_off(const report::ProcessReport& process, const std::string& how) {
    report_.incomplete.push_back("process " + std::to_string(process.pid) +
                                 (process.program.empty() ? "" : " (" + process.program + ")") + " " + how +
                                 ": kernels that still ran were not checked to their end; to have them "
                                 "checked, call cudaDeviceSynchronize() and end by exit() or by returning from main");
  }

  // What keeps this run from being called clean, other than what the engine said itself.
  void say_how_it_ended(const ProcessOutcome& outcome) {
    if (outcome.timed_out)
      report_.incomplete.push_back("the program was ended after " + seconds(options_.timeout_seconds) + " (--timeout)");
    else if (outcome.interrupted)
      report_.incomplete.push_back("the program was interrupted");
    else if (outcome.signal != 0)
      report_.incomplete.push_back("the program was ended by signal " + std::to_string(outcome.signal) + " (" +
                                   strsignal(outcome.signal) + ")" +
                                   (report_.kernels.empty() ? ": no kernel had begun to run" : ""));
    else if (checking() && processes_ == 0)
      report_.incomplete.push_back("the program never loaded the CUDA runtime: nothing was checked");
    else if (checking() && !looked_at_a_kernel() && report_.complete())
      report_.incomplete.push_back(report_.kernels.empty() ? "no kernel was launched: nothing was checked"
                                                           : "no kernel that was launched matches --kernel " +
                                                                 options_.kernel_filter + ": nothing was checked");
  }

  [[nodiscard]] bool looked_at_a_kernel() const {
    if (options_.kernel_filter.empty()) return !report_.kernels.empty();
    const std::regex filter(options_.kernel_filter);
    return std::ranges::any_of(report_.kernels, [&](const auto& kernel) {
      return std::regex_search(kernel.name, filter); // as the engine chooses
    });
  }

  // The program's own end is that of the first schedule in which it failed, if there is one.
  void judge() {
    report_.program = line_.program;
    report_.checked = checking();
    if (options_.shards != 0) report_.shard = std::to_string(options_.shard) + "/" + std::to_string(options_.shards);
    report::SourceCache sources;
    report::apply(std::move(decisions_), report_, sources);
    const auto fails = [](const ProcessOutcome& end) {
      return end.signal != 0 || end.exit_code != 0 || end.timed_out || end.interrupted;
    };
    const auto failed = std::find_if(own_ends_.begin(), own_ends_.end(), fails);
    const ProcessOutcome& outcome = failed == own_ends_.end() ? own_ends_.front() : *failed;
    const int own = outcome.signal != 0 ? exit_signal_base + outcome.signal : outcome.exit_code;
    report_.exit_code = exit_code_for(report_, options_.fail_on, options_.error_exitcode, own);
    // Ctrl-C is the user's own wish, and shells expect 130 from it. A `run` that crashes is the program's own affair.
    const bool own_end = outcome.interrupted || (!checking() && outcome.signal != 0 && !outcome.timed_out);
    if (own_end && report_.exit_code == exit_incomplete && own != 0) report_.exit_code = own;
  }

  static std::string seconds(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + (text == "1" ? " second" : " seconds");
  }

  bool print(const ProcessOutcome& outcome) const {
    Output output = options_.output;
    output.file = report::expand_pid(output.file, outcome.pid);
    return emit(report_, output);
  }

  const SessionOptions& options_;
  report::Decisions decisions_;
  Program program_;
  std::string runtime_, scratch_;
  CommandLine line_;
  std::string executable_;
  bool unoptimised_ = false;
  unsigned processes_ = 0;
  std::vector<ProcessOutcome> own_ends_; // one for each schedule
  Report report_;
};

Result<void> check_regex(const std::string& text) {
  try {
    const std::regex tried(text);
    return {};
  } catch (const std::regex_error& problem) {
    Error error;
    error.message = "--kernel " + text + " is not a regular expression: " + problem.what();
    return error;
  }
}

// Everything but the remedy, which print_error has a line of its own for.
std::string located(Error error) {
  error.remedy.clear();
  return error.to_string();
}

} // namespace

int exit_code_for(const Report& report, const FailOn& fail_on, int error_exitcode, int program_code) {
  const auto& findings = report.findings.all();
  if (std::any_of(findings.begin(), findings.end(), [&](const auto& finding) { return fail_on.reached(finding); }))
    return error_exitcode;
  return report.complete() ? program_code : exit_incomplete;
}

Result<report::Decisions> read_decisions(const std::vector<std::string>& suppression_files,
                                         const std::string& baseline) {
  report::Decisions decisions;
  decisions.rules = rule_names();
  for (const auto& file : suppression_files) {
    const auto text = report::read_file(file);
    if (!text) return text.error();
    auto entries = report::parse_suppressions(*text, file, decisions.rules);
    if (!entries) return entries.error();
    decisions.suppressions.insert(decisions.suppressions.end(), entries->begin(), entries->end());
  }
  if (baseline.empty()) return decisions;
  const auto text = report::read_file(baseline);
  if (!text) return text.error();
  auto read = report::parse_baseline(*text, baseline);
  if (!read) return read.error();
  decisions.baseline = std::move(*read);
  return decisions;
}

// A .ptx file takes no options of its own: `FILE.ptx --launch L` means the same as `--launch L FILE.ptx`.
static SessionOptions with_launch(SessionOptions options) {
  std::vector<std::string>& words = options.command;
  if (words.size() == 3 && words[1] == "--launch") options.launch = words[2], words.resize(1);
  if (words.size() == 2 && words[1].starts_with("--launch=")) options.launch = words[1].substr(9), words.resize(1);
  return options;
}

int run_session(const SessionOptions& given) {
  SessionOptions options = given;
  const std::string command = options.mode == Config::Mode::Check ? "check" : "run";
  if (options.command.empty())
    return usage_error("no program was given", "tollgate " + command + " [OPTIONS] PROG [ARGS...]");
  const std::string name = options.command.front();
  if (name.starts_with("-") && name != "-")
    return usage_error("unknown option " + name,
                       "see `tollgate " + command + " --help`; options of the program come after its name");
  if (auto good = check_regex(options.kernel_filter); !good) return usage_error(good.error().message, "");
  auto decisions = read_decisions(options.suppression_files, options.baseline);
  if (!decisions) return usage_error(located(decisions.error()), decisions.error().remedy);
  // Better now than after hours.
  if (const std::string& file = options.output.file; !file.empty())
    if (auto writable = report::can_write(report::expand_pid(file, 0)); !writable) return tool_failed(writable.error());

  auto program = inspect_program(name);
  if (!program) return tool_failed(program.error());
  if (program->kind == ProgramKind::Ptx) options = with_launch(options);
  if (program->kind == ProgramKind::Ptx) {
    if (options.launch.empty())
      return usage_error("a .ptx file needs --launch: which kernel, in what shape, with what arguments",
                         "for example --launch 'scale<<<4,256>>>(zeros:4K, 1024, 2.5)'");
    if (options.command.size() > 1)
      return usage_error("a .ptx file takes no arguments of its own", "kernel arguments stand in --launch");
    if (const auto launch = parse_launch(options.launch); !launch) {
      std::fprintf(stderr, "%s\n", launch.error().to_string().c_str());
      return exit_usage;
    }
  } else if (!options.launch.empty()) {
    return usage_error("--launch is for .ptx files; " + name + " starts its own kernels", "leave --launch out");
  }
  auto runtime = runtime_folder(options.runtime_dir);
  if (!runtime) return tool_failed(runtime.error());
  const ScratchFolder scratch;
  if (scratch.path().empty()) {
    Error error;
    error.message = std::string("cannot make a temporary folder: ") + std::strerror(errno);
    error.remedy = "set TMPDIR to a folder that can be written to";
    return tool_failed(error);
  }
  return Session(options, std::move(*program), std::move(*runtime), scratch.path(), std::move(*decisions)).run();
}

} // namespace tollgate::cli
