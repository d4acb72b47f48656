// A file that is kept open in a process that is not ours: the program may close descriptors that it never opened
// (daemons do), and open files of its own under their numbers. Before each use the descriptor is looked at, and opened
// anew if it is not what it was; it is never one of the three standard ones.
#pragma once

#include <string>
#include <sys/stat.h>

namespace tollgate::report {

class OwnFile {
public:
  OwnFile() = default;
  ~OwnFile() { close(); }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  // As open(2), with O_CLOEXEC; false with errno if it cannot be opened.
  bool open(std::string path, int flags);
  void close();
  // The descriptor, or -1: it was not opened, or cannot be opened again.
  [[nodiscard]] int descriptor();

private:
  [[nodiscard]] bool is_ours() const;

  std::string path_;
  int flags_ = 0, descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

} // namespace tollgate::report
