#include "report/own_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tollgate::report {

bool OwnFile::open(std::string path, int flags) {
  close();
  path_ = std::move(path);
  flags_ = flags;
  int opened = ::open(path_.c_str(), flags | O_CLOEXEC, 0644);
  if (opened >= 0 && opened <= STDERR_FILENO) { // that one was closed, and a program writes to it all the same
    const int higher = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(opened);
    opened = higher;
  }
  struct stat now;
  if (opened < 0 || fstat(opened, &now) != 0) return false;
  descriptor_ = opened;
  device_ = now.st_dev;
  inode_ = now.st_ino;
  return true;
}

bool OwnFile::is_ours() const {
  struct stat now;
  return descriptor_ >= 0 && fstat(descriptor_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

void OwnFile::close() {
  if (is_ours()) ::close(descriptor_);
  descriptor_ = -1;
}

int OwnFile::descriptor() {
  if (descriptor_ >= 0 && !is_ours()) {
    descriptor_ = -1;
    open(path_, flags_);
  }
  return descriptor_;
}

} // namespace tollgate::report
