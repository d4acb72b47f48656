// Streams, events and host functions: what is submitted runs in the order CUDA promises, never on the thread that
// submitted it (a kernel may poll a flag which that thread sets later). Tasks form a graph: each waits for the last
// task of its stream, for the legacy default stream where CUDA says so, and for the events it was told to wait for.
// Three threads, one for each kind of work, take ready tasks in the order of submission: a copy in one stream goes on
// while a kernel in another spins.
#pragma once

#include "engine/engine.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tollgate::engine {

enum class Lane : uint8_t { Kernel, Copy, Host, Caller, Marker };

using Clock = std::chrono::steady_clock;
using StreamId = uint64_t;

// One piece of work in a stream. Shared: events keep the task they recorded.
struct Task {
  uint64_t sequence = 0;
  Lane lane = Lane::Marker;
  bool always = false; // runs even after a failure (callbacks that want to hear of it)
  std::function<LaunchResult()> work;
  unsigned waiting_for = 0; // unfinished tasks this one waits for
  std::vector<std::shared_ptr<Task>> dependents;
  bool done = false;
  StreamId stream = 0;
  Clock::time_point finished{};
};
using TaskRef = std::shared_ptr<Task>;

constexpr StreamId legacy_stream = 0;

class StreamSet {
public:
  using Work = std::function<LaunchResult()>;

  // `ordered`: kernels run one after the other in the order of submission, whatever their streams, so that a run is
  // repeatable.
  explicit StreamSet(bool ordered);
  ~StreamSet(); // waits for what is running; drops what has not started
  StreamSet(const StreamSet&) = delete;
  StreamSet& operator=(const StreamSet&) = delete;

  StreamId create(bool blocking); // blocking: takes turns with the legacy default stream
  bool destroy(StreamId stream);  // its work goes on
  [[nodiscard]] bool exists(StreamId stream) const;

  TaskRef submit(StreamId stream, Lane lane, Work work, bool always = false);
  // Waits for the stream's turn and runs `work` on the calling thread: a blocking copy.
  LaunchResult run_here(StreamId stream, const Work& work);
  TaskRef record(StreamId stream);                     // finished when everything before it is
  void wait_for(StreamId stream, const TaskRef& task); // later work of `stream` waits for `task`

  [[nodiscard]] bool done(const TaskRef& task) const; // a null task counts as done
  [[nodiscard]] bool idle(StreamId stream) const;
  void wait(const TaskRef& task);
  void synchronize(StreamId stream);
  void synchronize_all();

  // The first failure of any task. It stays: work submitted later is skipped.
  [[nodiscard]] LaunchResult failure() const;
  void clear_failure(); // cudaDeviceReset

  // The kernel that runs now is all that runs or could run: no copy, no host function, no kernel of another stream.
  [[nodiscard]] bool only_a_kernel_runs() const;
  // Threads of this class: they run no code of the program but its host functions.
  [[nodiscard]] unsigned worker_threads() const;

  // True on a thread of this class, where waiting for streams would wait for itself.
  static bool on_worker_thread();
  // Host threads that are blocked in a wait now: they cannot write memory that a kernel polls.
  static unsigned blocked_callers();
  // How many such waits have begun since the process did.
  static uint64_t waits_begun();

private:
  struct Stream {
    TaskRef tail;
    bool blocking = true;
    bool closed = false;
  };
  struct ByAge {
    bool operator()(const TaskRef& a, const TaskRef& b) const { return a->sequence < b->sequence; }
  };
  struct Executor {
    std::thread thread;
    std::set<TaskRef, ByAge> ready;
    std::condition_variable wake;
  };

  TaskRef enqueue(StreamId stream, TaskRef task); // with mutex_ held
  void depend(const TaskRef& task, const TaskRef& on);
  void make_ready(const TaskRef& task);
  void execute(std::unique_lock<std::mutex>& lock, const TaskRef& task, const Work& work);
  void finish(const TaskRef& task);
  void worker(Executor& executor);
  void forget_closed_streams();

  mutable std::mutex mutex_;
  std::condition_variable finished_;
  bool ordered_ = false, stopping_ = false;
  uint64_t next_sequence_ = 1;
  StreamId next_stream_ = 16; // small numbers are CUDA's special handles
  std::map<StreamId, Stream> streams_;
  std::set<uint64_t> unfinished_;
  std::map<uint64_t, StreamId> unfinished_kernels_; // by sequence
  unsigned executing_ = 0;
  TaskRef last_kernel_;
  LaunchResult failure_;
  std::array<Executor, 3> executors_; // Kernel, Copy, Host
};

} // namespace tollgate::engine
