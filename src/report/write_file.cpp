#include "report/write_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tollgate::report {

namespace fs = std::filesystem;

namespace {

Error failed(const std::string& path, int reason) {
  Error error;
  error.message = "cannot write the report to " + path + ": " + std::strerror(reason);
  error.remedy = reason == ENOSPC ? "make room on that disk, or name a file elsewhere"
                                  : "name a file in a folder that can be written to";
  return error;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

class SignalsWait {
public:
  SignalsWait() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsWait() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

private:
  sigset_t before_;
};

// A link stays one: what it leads to is replaced.
fs::path target_of(const std::string& path) {
  std::error_code ignored;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? fs::path(path) : target;
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

Result<void> write_to_special(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  const bool good = write_all(file, text);
  const int reason = errno;
  if (close(file) != 0 && good) return failed(path, errno);
  return good ? Result<void>() : failed(path, reason);
}

// What an existing file allows stays; a new one gets what the user's mask leaves.
mode_t mode_for(const fs::path& target) {
  struct stat present{};
  if (stat(target.c_str(), &present) == 0) return present.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

} // namespace

Result<void> write_whole(const std::string& path, std::string_view text) {
  const SignalsWait wait;
  if (is_special(path)) return write_to_special(path, text);
  const fs::path target = target_of(path);
  if (fs::is_directory(target)) return failed(path, EISDIR);
  std::string temporary = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  bool good = write_all(file, text) && fchmod(file, mode_for(target)) == 0 && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && rename(temporary.c_str(), target.c_str()) != 0) {
    good = false;
    reason = errno;
  }
  if (good) return {};
  unlink(temporary.c_str());
  return failed(path, reason);
}

Result<void> can_write(const std::string& path) {
  std::error_code ignored;
  if (is_special(path)) return access(path.c_str(), W_OK) == 0 ? Result<void>() : failed(path, errno);
  const fs::path target = target_of(path);
  if (fs::is_directory(target, ignored)) return failed(path, EISDIR);
  const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0) return failed(path, errno);
  return {};
}

} // namespace tollgate::report
