#include "engine/stream.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tollgate::engine {
namespace {

thread_local bool is_worker = false;
std::atomic<unsigned> blocked{0};
std::atomic<uint64_t> waits{0};

struct Blocked {
  Blocked() {
    ++waits;
    ++blocked;
  }
  ~Blocked() { --blocked; }
};

LaunchResult run_guarded(const StreamSet::Work& work) {
  try {
    return work ? work() : LaunchResult{};
  } catch (const std::exception& e) {
    return {Status::LaunchFailure, std::string("internal error: ") + e.what()};
  }
}

} // namespace

bool StreamSet::on_worker_thread() { return is_worker; }
unsigned StreamSet::blocked_callers() { return blocked.load(); }
uint64_t StreamSet::waits_begun() { return waits.load(); }

StreamSet::StreamSet(bool ordered) : ordered_(ordered) { streams_[legacy_stream] = {}; }

StreamSet::~StreamSet() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& executor : executors_) executor.wake.notify_all();
  }
  for (auto& executor : executors_) {
    if (executor.thread.joinable()) executor.thread.join();
  }
}

StreamId StreamSet::create(bool blocking) {
  const std::lock_guard lock(mutex_);
  const StreamId id = next_stream_++;
  streams_[id].blocking = blocking;
  return id;
}

bool StreamSet::destroy(StreamId stream) {
  const std::lock_guard lock(mutex_);
  const auto it = streams_.find(stream);
  if (it == streams_.end() || stream == legacy_stream || it->second.closed) return false;
  it->second.closed = true;
  forget_closed_streams();
  return true;
}

bool StreamSet::exists(StreamId stream) const {
  const std::lock_guard lock(mutex_);
  const auto it = streams_.find(stream);
  return it != streams_.end() && !it->second.closed;
}

// A destroyed stream stays until its work is done, since the legacy stream still waits for it.
void StreamSet::forget_closed_streams() {
  std::erase_if(streams_, [](const auto& entry) {
    return entry.second.closed && (!entry.second.tail || entry.second.tail->done);
  });
}

void StreamSet::depend(const TaskRef& task, const TaskRef& on) {
  if (!on || on->done || on == task) return;
  on->dependents.push_back(task);
  ++task->waiting_for;
}

// CUDA C++ Programming Guide, "Default Stream": work in the legacy stream waits for all earlier work in blocking
// streams, and later work in those waits for it.
TaskRef StreamSet::enqueue(StreamId stream, TaskRef task) {
  task->sequence = next_sequence_++;
  Stream& own = streams_[stream];
  depend(task, own.tail);
  if (stream == legacy_stream) {
    forget_closed_streams();
    for (auto& [id, other] : streams_) {
      if (id != legacy_stream && other.blocking) depend(task, other.tail);
    }
  } else if (own.blocking) {
    depend(task, streams_[legacy_stream].tail);
  }
  if (ordered_ && task->lane == Lane::Kernel) {
    depend(task, last_kernel_);
    last_kernel_ = task;
  }
  streams_[stream].tail = task;
  task->stream = stream;
  unfinished_.insert(task->sequence);
  if (task->lane == Lane::Kernel) unfinished_kernels_[task->sequence] = stream;
  return task;
}

// A marker is finished as soon as it is ready. Chains of markers (events recorded behind a long kernel) can be long:
// hence the loop in finish() and no recursion.
void StreamSet::make_ready(const TaskRef& task) {
  if (task->lane == Lane::Marker) return finish(task);
  if (task->lane == Lane::Caller) return finished_.notify_all();
  Executor& executor = executors_[static_cast<size_t>(task->lane)];
  executor.ready.insert(task);
  if (!executor.thread.joinable()) executor.thread = std::thread([this, &executor] { worker(executor); });
  executor.wake.notify_one();
}

void StreamSet::finish(const TaskRef& first) {
  const auto now = Clock::now();
  std::vector<TaskRef> ended{first};
  while (!ended.empty()) {
    const TaskRef task = std::move(ended.back());
    ended.pop_back();
    task->done = true;
    task->finished = now;
    task->work = nullptr;
    unfinished_.erase(task->sequence);
    unfinished_kernels_.erase(task->sequence);
    for (const TaskRef& dependent : std::exchange(task->dependents, {})) {
      if (--dependent->waiting_for != 0) continue;
      if (dependent->lane == Lane::Marker) {
        ended.push_back(dependent);
      } else {
        make_ready(dependent);
      }
    }
  }
  finished_.notify_all();
}

void StreamSet::execute(std::unique_lock<std::mutex>& lock, const TaskRef& task, const Work& work) {
  if (failure_.status == Status::Success || task->always) {
    ++executing_;
    lock.unlock();
    LaunchResult result = run_guarded(work);
    lock.lock();
    --executing_;
    if (result.status != Status::Success && failure_.status == Status::Success && task->lane != Lane::Caller) {
      failure_ = std::move(result);
    }
  }
  finish(task);
}

void StreamSet::worker(Executor& executor) {
  is_worker = true;
  std::unique_lock lock(mutex_);
  while (true) {
    executor.wake.wait(lock, [&] { return stopping_ || !executor.ready.empty(); });
    if (stopping_) return;
    const TaskRef task = *executor.ready.begin();
    executor.ready.erase(executor.ready.begin());
    const Work work = std::move(task->work);
    execute(lock, task, work);
  }
}

TaskRef StreamSet::submit(StreamId stream, Lane lane, Work work, bool always) {
  auto task = std::make_shared<Task>();
  task->lane = lane;
  task->work = std::move(work);
  task->always = always;
  const std::lock_guard lock(mutex_);
  enqueue(stream, task);
  if (task->waiting_for == 0) make_ready(task);
  return task;
}

LaunchResult StreamSet::run_here(StreamId stream, const Work& work) {
  auto task = std::make_shared<Task>();
  task->lane = Lane::Caller;
  LaunchResult result;
  std::unique_lock lock(mutex_);
  enqueue(stream, task);
  if (task->waiting_for != 0) {
    const Blocked count;
    finished_.wait(lock, [&] { return task->waiting_for == 0; });
  }
  if (failure_.status != Status::Success) {
    result = failure_;
    finish(task);
  } else {
    execute(lock, task, [&] { return result = work(); });
  }
  return result;
}

TaskRef StreamSet::record(StreamId stream) { return submit(stream, Lane::Marker, nullptr); }

void StreamSet::wait_for(StreamId stream, const TaskRef& on) {
  auto task = std::make_shared<Task>();
  const std::lock_guard lock(mutex_);
  if (!on || on->done) return;
  enqueue(stream, task);
  depend(task, on);
  if (task->waiting_for == 0) make_ready(task);
}

bool StreamSet::done(const TaskRef& task) const {
  const std::lock_guard lock(mutex_);
  return !task || task->done;
}

// In check mode kernels wait for those submitted before them; on a GPU one of another stream could run beside.
bool StreamSet::only_a_kernel_runs() const {
  const std::lock_guard lock(mutex_);
  for (const auto& executor : executors_)
    if (!executor.ready.empty()) return false;
  if (executing_ != 1 || unfinished_kernels_.empty()) return false;
  const StreamId stream = unfinished_kernels_.begin()->second;
  return std::all_of(unfinished_kernels_.begin(), unfinished_kernels_.end(),
                     [&](const auto& kernel) { return kernel.second == stream; });
}

unsigned StreamSet::worker_threads() const {
  const std::lock_guard lock(mutex_);
  unsigned count = 0;
  for (const auto& executor : executors_) count += executor.thread.joinable() ? 1 : 0;
  return count;
}

bool StreamSet::idle(StreamId stream) const {
  const std::lock_guard lock(mutex_);
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return true;
  if (it->second.tail && !it->second.tail->done) return false;
  if (stream != legacy_stream) return true;
  for (const auto& [id, other] : streams_) {
    if (other.blocking && other.tail && !other.tail->done) return false;
  }
  return true;
}

void StreamSet::wait(const TaskRef& task) {
  if (!task) return;
  std::unique_lock lock(mutex_);
  if (task->done) return;
  const Blocked count;
  finished_.wait(lock, [&] { return task->done; });
}

void StreamSet::synchronize(StreamId stream) {
  if (idle(stream)) return;
  wait(record(stream));
}

void StreamSet::synchronize_all() {
  std::unique_lock lock(mutex_);
  const uint64_t last = next_sequence_ - 1;
  const auto drained = [&] { return unfinished_.empty() || *unfinished_.begin() > last; };
  if (drained()) return;
  const Blocked count;
  finished_.wait(lock, drained);
}

LaunchResult StreamSet::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void StreamSet::clear_failure() {
  const std::lock_guard lock(mutex_);
  failure_ = {};
}

} // namespace tollgate::engine
