// What every area of the runtime API shares: the engine, the streams, errors of the calling thread, and the frame that
// each exported function runs its body in.
#pragma once

#include "cudart/api.h"
#include "cudart/host_site.h"
#include "engine/engine.h"
#include "engine/stream.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>

// Stream and event handles point to these; a bad handle is recognised because the pointer is in no table.
struct CUstream_st {
  tollgate::engine::StreamId id = 0;
  unsigned flags = 0;
  int priority = 0;
};

namespace tollgate::cudart {

// The call as the user's program made it.
struct ApiSite {
  const char* name;
  const void* caller; // return address
};
#define TG_HERE                                                                                                        \
  ::tollgate::cudart::ApiSite { __func__, __builtin_return_address(0) }

class Runtime {
public:
  static Runtime& get(); // made at first use, never destroyed

  engine::Engine& engine;
  engine::StreamSet streams;

  // 0 and 1: the legacy default stream; 2: the default stream of the calling thread.
  bool resolve(cudaStream_t handle, engine::StreamId& id);
  cudaStream_t add_stream(unsigned flags, int priority);
  bool remove_stream(cudaStream_t handle);
  CUstream_st* find_stream(cudaStream_t handle); // nullptr for default streams and bad handles

  // The error that every call returns once a kernel has failed; cudaSuccess before.
  cudaError_t sticky_error();
  void reset();
  void shut_down(); // at exit: waits, flushes, ends the report
  std::atomic<bool> closed{false};
  std::atomic<bool> forked{false}; // in a child process, where the stream threads do not exist

private:
  Runtime();
  std::mutex mutex_;
  std::set<cudaStream_t> handles_;
};

inline engine::Engine& the_engine() { return Runtime::get().engine; }

cudaError_t to_cuda(engine::Status status);
void print_error(const Error& error);
void print_message(std::string_view message);

// Records the result as the thread's last error and returns it.
cudaError_t record(const ApiSite& site, cudaError_t error);
// A failed launch through <<<>>> gives its error to nobody but cudaGetLastError.
cudaError_t record_launch(const ApiSite& site, cudaError_t error);
// When a thread ends: its last launch failed and it never asked.
void report_unseen_launch();
// Says once, by name, that a function is not supported; records and returns cudaErrorNotSupported.
cudaError_t unsupported(const ApiSite& site);

enum class Sticky : uint8_t { Check, Ignore };

// The frame of an exported function: refuses calls after exit and from stream callbacks, returns a sticky error, keeps
// C++ exceptions inside.
template <typename Body> cudaError_t guarded(const ApiSite& site, Body&& body, Sticky sticky = Sticky::Check) {
  try {
    Runtime& runtime = Runtime::get();
    if (runtime.closed) return cudaErrorCudartUnloading;
    if (runtime.forked) return cudaErrorInitializationError;
    if (engine::StreamSet::on_worker_thread()) return cudaErrorNotPermitted;
    if (sticky == Sticky::Check) {
      if (const cudaError_t error = runtime.sticky_error(); error != cudaSuccess) return error;
    }
    return body(runtime);
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& e) {
    print_message(std::string(site.name) + ": internal error: " + e.what());
    return cudaErrorUnknown;
  }
}

template <typename Body> cudaError_t call(const ApiSite& site, Body&& body, Sticky sticky = Sticky::Check) {
  return record(site, guarded(site, body, sticky));
}

inline cudaStream_t per_thread_stream() { return reinterpret_cast<cudaStream_t>(uintptr_t{2}); }
// For the _ptsz entry points: stream 0 means the thread's own.
inline cudaStream_t per_thread(cudaStream_t stream) { return stream == nullptr ? per_thread_stream() : stream; }

} // namespace tollgate::cudart
