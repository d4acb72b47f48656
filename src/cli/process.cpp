#include "cli/process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tollgate::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double grace_seconds = 2; // between the polite signal and SIGKILL

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const auto& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Handled synchronously by the parent while the child runs.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
  return set;
}

pid_t parent_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return 0;
  char text[512] = {};
  const size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[size] = '\0';
  const char* after_name = std::strrchr(text, ')'); // the name may hold spaces and brackets
  int parent = 0;
  if (after_name != nullptr) std::sscanf(after_name + 1, " %*c %d", &parent);
  return parent;
}

// The child and everything it started, so that a time limit leaves nothing behind.
std::vector<pid_t> family_of(pid_t child) {
  std::map<pid_t, pid_t> parents;
  if (DIR* proc = opendir("/proc")) {
    while (const dirent* entry = readdir(proc))
      if (const pid_t pid = std::atoi(entry->d_name); pid > 0) parents[pid] = parent_of(pid);
    closedir(proc);
  }
  std::vector<pid_t> family{child};
  for (size_t i = 0; i < family.size(); ++i)
    for (const auto& [pid, parent] : parents)
      if (parent == family[i]) family.push_back(pid);
  return family;
}

void signal_family(pid_t child, int signal) {
  for (const pid_t pid : family_of(child)) kill(pid, signal);
}

// In the child, after fork: only async-signal-safe calls, and execve last.
[[noreturn]] void become(const char* path, char* const* argv, char* const* envp, const sigset_t& mask, int error_pipe) {
  prctl(PR_SET_PDEATHSIG, SIGTERM); // do not outlive a killed parent
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(path, argv, envp);
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(error_pipe, &reason, sizeof reason);
  _exit(127);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!extra.contains(text.substr(0, text.find('=')))) out.push_back(text);
  }
  for (const auto& [name, value] : extra) out.push_back(name + "=" + value);
  return out;
}

// Waits for the child; every other handled signal is passed on.
class Watch {
public:
  Watch(pid_t child, double timeout) : child_(child), timeout_(timeout) {}

  ProcessOutcome run(const sigset_t& signals) {
    outcome_.pid = child_;
    const Clock::time_point start = Clock::now();
    if (timeout_ > 0) deadline_ = start + duration(timeout_);
    while (!reaped()) {
      siginfo_t info{};
      const int signal = next_signal(signals, info);
      if (signal == SIGCHLD) continue;
      if (signal > 0)
        pass_on(signal, info);
      else if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_)
        on_deadline();
    }
    return outcome_;
  }

private:
  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool reaped() {
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return false;
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
    return true;
  }

  int next_signal(const sigset_t& signals, siginfo_t& info) const {
    if (deadline_ == Clock::time_point::max()) return sigwaitinfo(&signals, &info);
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline_ - Clock::now()).count();
    const long long wait = left < 0 ? 0 : left;
    const timespec limit{static_cast<time_t>(wait / 1'000'000'000), static_cast<long>(wait % 1'000'000'000)};
    return sigtimedwait(&signals, &info, &limit);
  }

  // A key of the terminal reaches the whole process group, the child included: only a signal that was sent to this
  // process alone has to be passed on. The second one ends a program that does not react.
  void pass_on(int signal, const siginfo_t& info) {
    if (outcome_.interrupted) {
      signal_family(child_, SIGKILL);
      return;
    }
    outcome_.interrupted = true;
    if (info.si_code != SI_KERNEL) kill(child_, signal);
  }

  void on_deadline() {
    signal_family(child_, outcome_.timed_out ? SIGKILL : SIGTERM);
    outcome_.timed_out = true;
    deadline_ = Clock::now() + duration(grace_seconds);
  }

  pid_t child_;
  double timeout_;
  Clock::time_point deadline_ = Clock::time_point::max();
  ProcessOutcome outcome_;
};

Error system_error(const std::string& what, int reason) {
  Error error;
  error.message = what + ": " + std::strerror(reason);
  return error;
}

} // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
  const std::vector<std::string> environment = merged_environment(request.environment);
  const std::vector<char*> argv = pointers(request.arguments), envp = pointers(environment);
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);

  const sigset_t signals = handled_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t child = fork();
  if (child == 0) become(request.executable.c_str(), argv.data(), envp.data(), before, error_pipe[1]);
  close(error_pipe[1]);
  if (child < 0) {
    close(error_pipe[0]);
    return system_error("cannot start a process", errno);
  }
  int reason = 0;
  const bool failed = read(error_pipe[0], &reason, sizeof reason) == sizeof reason;
  close(error_pipe[0]);
  const ProcessOutcome outcome = Watch(child, request.timeout_seconds).run(signals);
  // A signal that came in the meantime was meant for the child: it is gone now.
  const timespec now{};
  while (sigtimedwait(&signals, nullptr, &now) > 0) {
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (failed) return system_error("cannot start " + request.executable, reason);
  return outcome;
}

std::string output_of(const std::vector<std::string>& command) {
  int out[2];
  if (command.empty() || pipe2(out, O_CLOEXEC) != 0) return "";
  const std::vector<char*> argv = pointers(command);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(out[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; child > 0 && (size = read(out[0], buffer, sizeof buffer)) != 0;) {
    if (size > 0)
      text.append(buffer, static_cast<size_t>(size));
    else if (errno != EINTR)
      break;
  }
  close(out[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

std::string replace_process(const std::vector<std::string>& command) {
  const std::vector<char*> argv = pointers(command);
  execvp(argv[0], argv.data());
  return "cannot start " + command.front() + ": " + std::strerror(errno);
}

} // namespace tollgate::cli
