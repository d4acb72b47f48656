#include "cudart/copy.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace tollgate::cudart {
namespace {

using engine::PointerInfo;

// One end of a copy, looked up.
struct End {
  Place place;
  uint64_t device = 0;    // device address; 0: ordinary host memory
  size_t extent = 0;      // bytes from the first to behind the last
  bool pageable = false;  // host memory that CUDA does not know: copied before the call returns
  bool on_device = false; // not reachable from the host
};

size_t extent_of(const Place& place, const Box& box) {
  return (box.depth - 1) * place.slice_pitch + (box.height - 1) * place.pitch + box.width;
}

// Whether host memory can be read at all: the kernel says so without a fault. A dangling device pointer looks like a
// host pointer to the engine, and must not crash the program.
bool readable(const void* pointer, size_t extent) {
  for (const char* at : {static_cast<const char*>(pointer), static_cast<const char*>(pointer) + extent - 1}) {
    char byte = 0;
    iovec local{&byte, 1}, remote{const_cast<char*>(at), 1};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == EFAULT) return false;
  }
  return true;
}

// What the kind asks of an end. With unified addressing the real runtime goes by the pointer where it can: device
// memory may stand where the kind says host (measured on CUDA 13), but pageable memory not where it says device.
enum class Demand : uint8_t { Device, Any };

bool look_up(engine::Engine& engine, const Place& place, const Box& box, Demand demand, End& end) {
  end.place = place;
  end.extent = extent_of(place, box);
  if (place.pointer == nullptr) return false;
  const PointerInfo info = engine.pointer_info(place.pointer);
  switch (info.kind) {
  case PointerInfo::Kind::Unregistered:
    end.pageable = true;
    return demand != Demand::Device && readable(place.pointer, end.extent);
  case PointerInfo::Kind::Device: end.on_device = true; break;
  case PointerInfo::Kind::Managed:
  case PointerInfo::Kind::PinnedHost: break;
  }
  end.device = info.device;
  return engine.host_view(end.device, end.extent) != nullptr;
}

// The address through which this process reaches the end. Looked up again when the copy runs: the allocation may have
// been freed in the meantime.
uint8_t* reach(engine::Engine& engine, const End& end) {
  if (end.device == 0) return static_cast<uint8_t*>(end.place.pointer);
  return static_cast<uint8_t*>(engine.host_view(end.device, end.extent));
}

void move_box(uint8_t* to, const Place& to_place, const uint8_t* from, const Place& from_place, const Box& box) {
  for (size_t z = 0; z < box.depth; ++z) {
    for (size_t y = 0; y < box.height; ++y) {
      std::memmove(to + z * to_place.slice_pitch + y * to_place.pitch,
                   from + z * from_place.slice_pitch + y * from_place.pitch, box.width);
    }
  }
}

// What the host or another allocation had written is written now; what was never written there is not written here.
void note_moved(engine::Engine& engine, const End& to, const End& from, const Box& box) {
  if (to.device == 0) return;
  for (size_t z = 0; z < box.depth; ++z) {
    for (size_t y = 0; y < box.height; ++y) {
      const uint64_t target = to.device + z * to.place.slice_pitch + y * to.place.pitch;
      if (from.on_device)
        engine.copy_written(target, from.device + z * from.place.slice_pitch + y * from.place.pitch, box.width);
      else
        engine.note_written(target, box.width);
    }
  }
}

engine::LaunchResult perform(engine::Engine& engine, const End& to, const End& from, const Box& box) {
  uint8_t* target = reach(engine, to);
  const uint8_t* source = reach(engine, from);
  if (target == nullptr || source == nullptr) {
    return {engine::Status::IllegalAddress, "memory was freed before an asynchronous copy reached it"};
  }
  move_box(target, to.place, source, from.place, box);
  note_moved(engine, to, from, box);
  return {};
}

// A packed copy of pageable memory, made while the caller waits.
std::shared_ptr<std::vector<uint8_t>> stage(const End& from, const Box& box) {
  auto bytes = std::make_shared<std::vector<uint8_t>>(box.width * box.height * box.depth);
  const Place packed{bytes->data(), box.width, box.width * box.height};
  move_box(bytes->data(), packed, static_cast<const uint8_t*>(from.place.pointer), from.place, box);
  return bytes;
}

cudaError_t submit_staged(Runtime& runtime, engine::StreamId id, const End& to, const End& from, const Box& box) {
  auto bytes = stage(from, box);
  End packed;
  packed.place = {bytes->data(), box.width, box.width * box.height};
  runtime.streams.submit(id, engine::Lane::Copy, [&engine = runtime.engine, to, packed, box, bytes] {
    return perform(engine, to, packed, box);
  });
  return cudaSuccess;
}

Demand demand_of_target(int kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? Demand::Device : Demand::Any;
}

Demand demand_of_source(int kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? Demand::Device : Demand::Any;
}

} // namespace

// CUDA Runtime API, "API synchronization behavior": a copy from pageable memory is staged before the call returns, one
// to pageable memory is complete when the call returns, one between device memories does not wait.
cudaError_t copy(Runtime& runtime, const Place& to_place, const Place& from_place, const Box& box, int kind,
                 cudaStream_t stream, Waiting waiting) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  engine::StreamId id = 0;
  if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
  if (box.empty()) return cudaSuccess;
  if (box.height > 1 && (to_place.pitch < box.width || from_place.pitch < box.width)) return cudaErrorInvalidPitchValue;
  End to, from;
  if (!look_up(runtime.engine, to_place, box, demand_of_target(kind), to)) return cudaErrorInvalidValue;
  if (!look_up(runtime.engine, from_place, box, demand_of_source(kind), from)) return cudaErrorInvalidValue;

  const bool within_device = to.on_device && from.on_device;
  const bool must_wait = to.pageable || (waiting == Waiting::Blocking && !within_device);
  if (must_wait) {
    const auto result = runtime.streams.run_here(id, [&] { return perform(runtime.engine, to, from, box); });
    runtime.engine.flush_printf();
    return to_cuda(result.status);
  }
  if (from.pageable) return submit_staged(runtime, id, to, from, box);
  runtime.streams.submit(id, engine::Lane::Copy,
                         [&engine = runtime.engine, to, from, box] { return perform(engine, to, from, box); });
  return cudaSuccess;
}

cudaError_t copy_bytes(Runtime& runtime, void* to, const void* from, size_t bytes, int kind, cudaStream_t stream,
                       Waiting waiting) {
  return copy(runtime, {to, bytes, bytes}, {const_cast<void*>(from), bytes, bytes}, {bytes, 1, 1}, kind, stream,
              waiting);
}

cudaError_t fill(Runtime& runtime, const Place& place, int value, const Box& box, cudaStream_t stream) {
  engine::StreamId id = 0;
  if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
  if (box.empty()) return cudaSuccess;
  if (box.height > 1 && place.pitch < box.width) return cudaErrorInvalidValue;
  End to;
  if (!look_up(runtime.engine, place, box, Demand::Device, to)) return cudaErrorInvalidValue;
  runtime.streams.submit(id, engine::Lane::Copy, [&engine = runtime.engine, to, value, box]() -> engine::LaunchResult {
    uint8_t* target = reach(engine, to);
    if (target == nullptr) return {engine::Status::IllegalAddress, "memory was freed before cudaMemset reached it"};
    for (size_t z = 0; z < box.depth; ++z) {
      for (size_t y = 0; y < box.height; ++y) {
        std::memset(target + z * to.place.slice_pitch + y * to.place.pitch, value, box.width);
        engine.note_written(to.device + z * to.place.slice_pitch + y * to.place.pitch, box.width);
      }
    }
    return {};
  });
  return cudaSuccess;
}

} // namespace tollgate::cudart
