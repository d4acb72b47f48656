#include "cudart/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>

namespace tollgate::cudart {
namespace {

// The default stream of each host thread, for handle 2 and the _ptsz entry points.
struct ThreadStream {
  engine::StreamId id = 0;
  ~ThreadStream() {
    if (id != 0 && !Runtime::get().closed) Runtime::get().streams.destroy(id);
    id = 0;
  }
};
thread_local ThreadStream thread_stream;

Runtime* current = nullptr;

} // namespace

Runtime::Runtime() : engine(engine::Engine::instance()), streams(engine.config().mode == engine::Config::Mode::Check) {}

Runtime& Runtime::get() {
  static Runtime& runtime = []() -> Runtime& {
    current = new Runtime; // host threads and exit handlers of the program may call until the very end
    std::atexit([] { current->shut_down(); });
    std::at_quick_exit([] { current->shut_down(); });
    pthread_atfork(nullptr, nullptr, [] { current->forked = true; });
    return *current;
  }();
  return runtime;
}

bool Runtime::resolve(cudaStream_t handle, engine::StreamId& id) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) {
    id = engine::legacy_stream;
    return true;
  }
  if (number == 2) {
    if (thread_stream.id == 0) thread_stream.id = streams.create(true);
    id = thread_stream.id;
    return true;
  }
  const std::lock_guard lock(mutex_);
  if (!handles_.contains(handle)) return false;
  id = handle->id;
  return true;
}

cudaStream_t Runtime::add_stream(unsigned flags, int priority) {
  auto* stream = new CUstream_st{streams.create((flags & cudaStreamNonBlocking) == 0), flags, priority};
  const std::lock_guard lock(mutex_);
  handles_.insert(stream);
  return stream;
}

bool Runtime::remove_stream(cudaStream_t handle) {
  {
    const std::lock_guard lock(mutex_);
    if (handles_.erase(handle) == 0) return false;
  }
  streams.destroy(handle->id);
  delete handle;
  return true;
}

CUstream_st* Runtime::find_stream(cudaStream_t handle) {
  const std::lock_guard lock(mutex_);
  return handles_.contains(handle) ? handle : nullptr;
}

cudaError_t Runtime::sticky_error() { return to_cuda(streams.failure().status); }

void Runtime::reset() {
  streams.synchronize_all();
  streams.clear_failure();
  engine.reset_variables();
}

void Runtime::shut_down() {
  if (closed || forked) return;
  if (!engine::StreamSet::on_worker_thread()) streams.synchronize_all();
  closed = true;
  engine.flush_printf();
  report_unseen_launch();
  engine.finish();
}

void print_message(std::string_view message) {
  std::fprintf(stderr, "tollgate: %.*s\n", static_cast<int>(message.size()), message.data());
}

void print_error(const Error& error) { print_message(error.to_string()); }

} // namespace tollgate::cudart
