// One thread that works off jobs in the order in which they came; it starts with the first.
//
// The jobs use LLVM, whose function-local statics go when the process ends: those that were made last go first. The
// process therefore waits for the jobs in an exit handler that is made after them, when the first job comes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace tollgate::jit {

class Background {
public:
  ~Background();
  void add(std::function<void()> job);
  void finish(); // returns when no job is left; at once in a forked child, which has no such thread

private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::thread thread_;
  pid_t owner_ = 0;
  bool busy_ = false, stop_ = false;
};

} // namespace tollgate::jit
