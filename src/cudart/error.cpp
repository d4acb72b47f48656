// Errors: names, texts, the last error of each thread, and failures that nobody looked at (rule api-error).
#include "cudart/runtime.h"

#include <array>
#include <mutex>
#include <set>

namespace tollgate::cudart {
namespace {

struct ErrorText {
  int code;
  const char* name;
  const char* text;
};

constexpr ErrorText error_texts[] = {
#define TG_ERROR(code, name, text) {code, #name, text},
#include "cudart/error.def"
#undef TG_ERROR
};

const ErrorText* find_text(cudaError_t error) {
  for (const ErrorText& row : error_texts) {
    if (row.code == error) return &row;
  }
  return nullptr;
}

// A failed call whose error the thread has not fetched with cudaGetLastError: a launch, as <<<>>> returns nothing, or a
// call whose value the program dropped.
struct Unseen {
  const char* function = nullptr;
  cudaError_t error = cudaSuccess;
  const void* caller = nullptr;
  bool launch = false;
};

// Without a destructor: the program may call from its exit handlers, after the thread's objects are gone.
struct ThreadErrors {
  cudaError_t last = cudaSuccess;
  Unseen unseen;
};
thread_local ThreadErrors thread_errors;

void report_unseen(Unseen& unseen) {
  if (unseen.error == cudaSuccess) return;
  observe::Finding finding;
  finding.rule = "api-error";
  finding.severity = observe::Severity::Warning;
  finding.message = std::string(unseen.function) + " failed with " + cudaGetErrorName(unseen.error) + " (" +
                    cudaGetErrorString(unseen.error) + ") and the program went on without looking";
  finding.help = unseen.launch ? "call cudaGetLastError() after the launch and stop if it is not cudaSuccess"
                               : "check the value that the call returns";
  finding.at.role = "called here";
  set_host_place(finding.at, unseen.caller);
  unseen = {};
  the_engine().report(std::move(finding));
}

struct ThreadEnd {
  bool used = false;
  ~ThreadEnd() {
    if (!Runtime::get().closed) report_unseen_launch();
  }
};
thread_local ThreadEnd thread_end;

// rules.md: these are answers, not failures. What is not supported has a finding of its own, not-modelled.
bool is_failure(cudaError_t error) {
  return error != cudaSuccess && error != cudaErrorNotSupported && error != cudaErrorNotReady &&
         error != cudaErrorPeerAccessAlreadyEnabled;
}

} // namespace

cudaError_t to_cuda(engine::Status status) {
  using engine::Status;
  switch (status) {
  case Status::Success: return cudaSuccess;
  case Status::IllegalAddress: return cudaErrorIllegalAddress;
  case Status::LaunchFailure: return cudaErrorLaunchFailure;
  case Status::LaunchTimeout: return cudaErrorLaunchTimeout;
  case Status::Assert: return cudaErrorAssert;
  case Status::InvalidConfiguration: return cudaErrorInvalidConfiguration;
  case Status::NotSupported: return cudaErrorNotSupported;
  case Status::NoKernelImage: return cudaErrorNoKernelImageForDevice;
  case Status::OutOfMemory: return cudaErrorMemoryAllocation;
  case Status::Interrupted: return cudaErrorLaunchFailure;
  case Status::Deadlock: return cudaErrorLaunchTimeout; // a real device would hang until the watchdog ends it
  case Status::Trap: return cudaErrorLaunchFailure;
  case Status::InvalidImage: return cudaErrorInvalidKernelImage;
  }
  return cudaErrorUnknown;
}

cudaError_t record(const ApiSite& site, cudaError_t error) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  thread_errors.last = error;
  // The failure of a kernel, which every call returns, has a finding of its own.
  if (is_failure(error) && error != Runtime::get().sticky_error()) {
    if (the_engine().drops_result(site.caller, next_caller(site.caller)))
      thread_errors.unseen = {site.name, error, user_caller(site.caller), false};
  }
  return error;
}

cudaError_t record_launch(const ApiSite& site, cudaError_t error) {
  report_unseen(thread_errors.unseen);
  if (error == cudaSuccess) return error;
  thread_errors.last = error;
  if (!is_failure(error)) return error;
  thread_errors.unseen = {"a kernel launch", error, user_caller(site.caller), true};
  thread_end.used = true; // makes the object, so that its destructor runs
  return error;
}

void report_unseen_launch() {
  if (thread_errors.unseen.launch) report_unseen(thread_errors.unseen);
}

cudaError_t unsupported(const ApiSite& site) {
  static std::mutex mutex;
  static std::set<std::string_view> reported;
  return call(site, [&](Runtime& runtime) {
    {
      const std::lock_guard lock(mutex);
      if (!reported.insert(site.name).second) return cudaErrorNotSupported;
    }
    observe::Finding finding;
    finding.rule = "not-modelled";
    finding.severity = observe::Severity::Note;
    finding.message = std::string(site.name) + " is not supported and returned cudaErrorNotSupported";
    finding.help = "docs/runtime.md lists what is supported";
    finding.at.role = "called here";
    set_host_place(finding.at, user_caller(site.caller));
    runtime.engine.report(std::move(finding));
    return cudaErrorNotSupported;
  });
}

} // namespace tollgate::cudart

using namespace tollgate::cudart;

// Both tell what an earlier call of this thread returned; they do not ask the device (measured on CUDA 13: after a
// kernel has failed, the error appears once another call has returned it).
cudaError_t cudaGetLastError() {
  thread_errors.unseen = {};
  return std::exchange(thread_errors.last, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  thread_errors.unseen = {};
  return thread_errors.last;
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* row = find_text(error);
  return row != nullptr ? row->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* row = find_text(error);
  return row != nullptr ? row->text : "unrecognized error code";
}
