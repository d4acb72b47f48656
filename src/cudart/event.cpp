// Events: a mark in a stream, with the time when it was passed.
#include "cudart/runtime.h"

using namespace tollgate;
using namespace tollgate::cudart;

struct CUevent_st {
  unsigned flags = 0;
  engine::TaskRef recorded; // the mark set last; null: never recorded
};

namespace {

std::mutex events_mutex;
std::set<cudaEvent_t>& live_events() {
  static auto* events = new std::set<cudaEvent_t>;
  return *events;
}

// The recorded mark of a live event.
bool snapshot(cudaEvent_t event, engine::TaskRef& task, unsigned* flags = nullptr) {
  const std::lock_guard lock(events_mutex);
  if (!live_events().contains(event)) return false;
  task = event->recorded;
  if (flags != nullptr) *flags = event->flags;
  return true;
}

} // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(TG_HERE, [&](Runtime&) {
    if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) != 0) return cudaErrorNotSupported;
    *event = new CUevent_st{flags, nullptr};
    const std::lock_guard lock(events_mutex);
    live_events().insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(TG_HERE, [&](Runtime&) {
    const std::lock_guard lock(events_mutex);
    if (live_events().erase(event) == 0) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::StreamId id = 0;
    if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(events_mutex);
    if (!live_events().contains(event)) return cudaErrorInvalidResourceHandle;
    event->recorded = runtime.streams.record(id);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::TaskRef task;
    if (!snapshot(event, task)) return cudaErrorInvalidResourceHandle;
    return runtime.streams.done(task) ? runtime.sticky_error() : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::TaskRef task;
    if (!snapshot(event, task)) return cudaErrorInvalidResourceHandle;
    runtime.streams.wait(task);
    runtime.engine.flush_printf();
    return runtime.sticky_error();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::TaskRef first, second;
    unsigned flags[2] = {};
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!snapshot(start, first, &flags[0]) || !snapshot(end, second, &flags[1])) return cudaErrorInvalidResourceHandle;
    if (((flags[0] | flags[1]) & cudaEventDisableTiming) != 0) return cudaErrorInvalidResourceHandle;
    if (!first || !second) return cudaErrorInvalidResourceHandle;
    if (!runtime.streams.done(first) || !runtime.streams.done(second)) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(second->finished - first->finished).count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::StreamId id = 0;
    engine::TaskRef task;
    if (!runtime.resolve(stream, id) || !snapshot(event, task)) return cudaErrorInvalidResourceHandle;
    if (flags > 1) return cudaErrorInvalidValue;
    runtime.streams.wait_for(id, task);
    return cudaSuccess;
  });
}
