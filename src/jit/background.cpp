#include "jit/background.h"

#include <atomic>
#include <cstdlib>
#include <unistd.h>

namespace tollgate::jit {

namespace {

std::atomic<Background*> running{nullptr};

void wait_at_exit() {
  if (Background* background = running.load()) background->finish();
}

} // namespace

Background::~Background() {
  finish();
  running = nullptr;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Background::add(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) {
      owner_ = getpid();
      running = this;
      std::atexit(wait_at_exit);
      thread_ = std::thread([this] { work(); });
    }
  }
  changed_.notify_all();
}

void Background::finish() {
  if (owner_ != getpid()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    job();
    job = nullptr; // what it holds goes here, not under the lock
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

} // namespace tollgate::jit
