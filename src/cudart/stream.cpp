// Streams and host functions.
#include "cudart/runtime.h"

#include <algorithm>

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

constexpr int lowest_priority = 0, highest_priority = -5; // accepted; all streams are served alike

template <typename Body> cudaError_t with_stream(const ApiSite& site, cudaStream_t stream, Body&& body) {
  return call(site, [&](Runtime& runtime) {
    engine::StreamId id = 0;
    if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
    return body(runtime, id);
  });
}

} // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = runtime.add_stream(flags, std::clamp(priority, highest_priority, lowest_priority));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return runtime.remove_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(TG_HERE, stream, [](Runtime& runtime, engine::StreamId id) {
    runtime.streams.synchronize(id);
    runtime.engine.flush_printf();
    return runtime.sticky_error();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream(TG_HERE, stream, [](Runtime& runtime, engine::StreamId id) {
    return runtime.streams.idle(id) ? runtime.sticky_error() : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream(TG_HERE, stream, [&](Runtime& runtime, engine::StreamId) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const CUstream_st* own = runtime.find_stream(stream);
    *flags = own != nullptr ? own->flags : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream(TG_HERE, stream, [&](Runtime& runtime, engine::StreamId) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    const CUstream_st* own = runtime.find_stream(stream);
    *priority = own != nullptr ? own->priority : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* number) {
  return with_stream(TG_HERE, stream, [&](Runtime&, engine::StreamId id) {
    if (number == nullptr) return cudaErrorInvalidValue;
    *number = id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_stream(TG_HERE, stream, [&](Runtime&, engine::StreamId) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  return call(TG_HERE, [&](Runtime&) {
    if (lowest != nullptr) *lowest = lowest_priority;
    if (highest != nullptr) *highest = highest_priority;
    return cudaSuccess;
  });
}

// Graph capture is not supported, so no stream is ever capturing.
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int* status) {
  return with_stream(TG_HERE, stream, [&](Runtime&, engine::StreamId) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int current = 0;
  return call(TG_HERE, [&](Runtime&) {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, current);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
  return with_stream(TG_HERE, stream, [](Runtime&, engine::StreamId) { return cudaSuccess; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return with_stream(TG_HERE, stream, [&](Runtime& runtime, engine::StreamId id) {
    if (function == nullptr) return cudaErrorInvalidValue;
    runtime.streams.submit(id, engine::Lane::Host, [function, user_data] {
      function(user_data);
      return engine::LaunchResult{};
    });
    return cudaSuccess;
  });
}

// Unlike a host function, a callback also runs after a failure and is told of it.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* user_data, unsigned flags) {
  return with_stream(TG_HERE, stream, [&](Runtime& runtime, engine::StreamId id) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    const auto work = [&runtime, stream, callback, user_data] {
      callback(stream, runtime.sticky_error(), user_data);
      return engine::LaunchResult{};
    };
    runtime.streams.submit(id, engine::Lane::Host, work, true);
    return cudaSuccess;
  });
}
