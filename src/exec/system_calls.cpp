// What device code asks of the runtime: printf, malloc, assert, trap; and helpers that need addresses told apart.
#include "base/each_lane.h"
#include "exec/access_hooks.h"
#include "exec/address.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "exec/worker.h"
#include "exec/written.h"
#include "observe/observer.h"
#include "simd/lane_language.h"

#include <bit>
#include <cstring>

namespace tollgate::exec {

namespace {

using simd::WarpContext;

Launch& launch_of(const WarpContext* w) { return static_cast<BlockRun*>(w->block->exec)->launch(); }

void vprintf_lanes(WarpContext* w, uint32_t lanes, uint32_t* out, const uint64_t* format, const uint64_t* arguments) {
  const DeviceServices* services = launch_of(w).config->services;
  if (LivelockWatch* watch = launch_of(w).livelock.get()) watch->note_outside();
  each_lane(lanes, [&](unsigned i) { out[i] = services ? uint32_t(services->print(format[i], arguments[i])) : 0; });
}

void malloc_lanes(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* bytes) {
  const DeviceServices* services = launch_of(w).config->services;
  if (LivelockWatch* watch = launch_of(w).livelock.get()) watch->note_outside();
  each_lane(lanes, [&](unsigned i) { out[i] = services ? services->allocate(bytes[i]) : 0; });
}

void free_lanes(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* site) {
  const auto* run = static_cast<BlockRun*>(w->block->exec);
  const LaunchConfig& config = *launch_of(w).config;
  if (config.services == nullptr) return;
  const bool observed = (config.events & observe::AccessEvents) != 0;
  each_lane(lanes, [&](unsigned i) {
    for (observe::Observer* o : config.observers)
      if (observed) o->on_device_free(address[i]);
    if (config.services->release(address[i]) || !observed) return;
    const observe::BadFreeEvent event{run->ref(), w->warp, 1u << i, site[i], address[i]};
    for (observe::Observer* o : config.observers) o->on_bad_free(event);
  });
}

std::string device_string(DeviceMemory& memory, uint64_t address) {
  std::string out;
  for (uint64_t i = 0; i < 1024; ++i) {
    auto* p = static_cast<const char*>(memory.host_view(address + i, 1));
    if (!p || *p == 0) break;
    out += *p;
  }
  return out;
}

void assertfail(WarpContext* w, uint32_t lanes, const uint64_t* message, const uint64_t* file, const uint32_t* line,
                const uint64_t* function, const uint32_t* site) {
  Launch& launch = launch_of(w);
  unsigned i = unsigned(std::countr_zero(lanes));
  const auto& c = w->block->ctaid;
  // The wording of the CUDA runtime, so that scripts that look for it keep working.
  std::string text = device_string(*launch.memory, file[i]) + ":" + std::to_string(line[i]) + ": " +
                     device_string(*launch.memory, function[i]) + ": block: [" + std::to_string(c[0]) + "," +
                     std::to_string(c[1]) + "," + std::to_string(c[2]) + "], thread: [" + std::to_string(w->tid_x[i]) +
                     "," + std::to_string(w->tid_y[i]) + "," + std::to_string(w->tid_z[i]) + "] Assertion `" +
                     device_string(*launch.memory, message[i]) + "` failed.";
  launch.end(EndReason::Assert, text, site[0], thread_of(*w, lanes));
  leave_launch();
}

void trap(WarpContext* w, uint32_t lanes, const uint32_t* site) {
  launch_of(w).end(EndReason::Trap, "a thread executed a trap instruction", site[0], thread_of(*w, lanes));
  leave_launch();
}

void not_modelled(WarpContext* w, uint32_t lanes, const uint32_t* site) {
  (void)lanes;
  launch_of(w).end(EndReason::NotModelled, "a thread reached an instruction that is not modelled", site[0]);
  leave_launch();
}

void end_launch(WarpContext*) { leave_launch(); }

void isspacep(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* address, const uint32_t* space) {
  using observe::MemorySpace;
  each_lane(lanes, [&](unsigned i) {
    uint64_t a = address[i];
    switch (MemorySpace(space[i])) {
    case MemorySpace::Local: out[i] = kLocalRange.contains(a); break;
    case MemorySpace::Param: out[i] = kParamRange.contains(a); break;
    case MemorySpace::Const: out[i] = kConstRange.contains(a); break;
    default:
      out[i] = in_window(a) && !kSharedRange.contains(a) && !kLocalRange.contains(a) && !kParamRange.contains(a) &&
               !kConstRange.contains(a);
    }
  });
}

void observe_fence(WarpContext* w, uint32_t lanes, uint32_t order, uint32_t scope, uint32_t site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  observe::FenceEvent event{run->ref(), w->warp, lanes, site, observe::Order(order), observe::SyncScope(scope)};
  for (observe::Observer* o : run->launch().listeners.sync) o->on_fence(event);
}

void observe_warp_sync(WarpContext* w, uint32_t lanes, const uint32_t* wanted, uint32_t site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  observe::WarpSyncEvent event{run->ref(), w->warp, lanes, site, {}, 0};
  std::copy_n(wanted, simd::kLanes, event.wanted.begin());
  for (observe::Observer* o : run->launch().listeners.sync) o->on_warp_sync(event);
}

void observe_give_way(WarpContext* w, uint32_t lanes) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  const observe::GiveWayEvent event{run->ref(), w->warp, lanes};
  for (observe::Observer* o : run->launch().listeners.sync) o->on_give_way(event);
}

// The lanes of a converged warp may name several masks (tiles): each is a barrier of its own.
void observe_warp_barrier(WarpContext* w, uint32_t lanes, const uint32_t* wanted, uint32_t site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  each_set(lanes, wanted, [&](uint32_t set, uint32_t) { run->note_warp_barrier(w->warp, set, site); });
}

template <typename Fill>
void observe_async(WarpContext* w, uint32_t lanes, observe::AsyncOp op, uint32_t site, Fill fill) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  if ((run->launch().config->events & observe::SyncEvents) == 0) return;
  observe::AsyncEvent event;
  event.block = run->ref();
  event.warp = w->warp;
  event.mask = lanes;
  event.site = site;
  event.op = op;
  fill(event);
  for (observe::Observer* o : run->launch().listeners.sync) o->on_async(event);
}

// The accesses that lanes make by copies, those of one size together.
void observe_copied(WarpContext* w, uint32_t lanes, uint8_t kind, const uint64_t* address, const uint32_t* bytes,
                    uint32_t site) {
  each_set(lanes, bytes, [&](uint32_t set, uint32_t size) {
    simd::AccessDesc desc{kind, uint8_t(observe::MemorySpace::Generic), 0, 0, uint8_t(size)};
    desc.by_copy = true;
    if (size != 0) observe_access(w, set, address, desc, site, nullptr);
  });
}

// cp.async: copies `source_bytes` and fills the rest of `bytes` with zeros.
void cp_async(WarpContext* w, uint32_t lanes, const uint64_t* destination, const uint64_t* source,
              const uint32_t* bytes, const uint32_t* source_bytes, const uint32_t* site) {
  observe_async(w, lanes, observe::AsyncOp::Copy, site[0], [&](observe::AsyncEvent& event) {
    event.to = destination, event.from = source, event.bytes = bytes, event.bytes_read = source_bytes;
  });
  if ((launch_of(w).config->events & observe::AccessEvents) != 0) {
    observe_copied(w, lanes, uint8_t(observe::AccessKind::Load), source, source_bytes, site[0]);
    observe_copied(w, lanes, uint8_t(observe::AccessKind::Store), destination, bytes, site[0]);
  }
  each_lane(lanes, [&](unsigned i) {
    uint32_t copied = std::min(source_bytes[i], bytes[i]);
    auto* to = static_cast<uint8_t*>(backing(destination[i]));
    memcpy(to, backing(source[i]), copied);
    memset(to + copied, 0, bytes[i] - copied);
    copy_written(destination[i], source[i], copied);
    note_written(destination[i] + copied, bytes[i] - copied);
  });
}

// cp.async.bulk is about to copy (bulk_copy.cpp).
void async_bulk(WarpContext* w, uint32_t lanes, const uint64_t* destination, const uint64_t* source,
                const uint32_t* bytes, const uint64_t* object, const uint32_t* site) {
  observe_async(w, lanes, observe::AsyncOp::BulkCopy, site[0], [&](observe::AsyncEvent& event) {
    event.to = destination, event.from = source, event.bytes = bytes, event.bytes_read = bytes;
    event.mbarrier = object[std::countr_zero(lanes)] == 0 ? nullptr : object;
  });
}

void async_group(WarpContext* w, uint32_t lanes, const uint32_t* op, const uint32_t* groups, const uint32_t* site) {
  observe_async(w, lanes, observe::AsyncOp(op[0]), site[0],
                [&](observe::AsyncEvent& event) { event.groups = groups[std::countr_zero(lanes)]; });
}

void proxy_fence(WarpContext* w, uint32_t lanes, const uint32_t* site) {
  observe_async(w, lanes, observe::AsyncOp::ProxyFence, site[0], [](observe::AsyncEvent&) {});
}

} // namespace

void add_system_symbols(Symbols& out) {
  add_symbol(out, "tgh_vprintf", &vprintf_lanes);
  add_symbol(out, "tgh_malloc", &malloc_lanes);
  add_symbol(out, "tgh_free", &free_lanes);
  add_symbol(out, "tgh_assertfail", &assertfail);
  add_symbol(out, "tgh_trap", &trap);
  add_symbol(out, "tgh_not_modelled", &not_modelled);
  add_symbol(out, "tgh_end_launch", &end_launch);
  add_symbol(out, "tgh_isspacep", &isspacep);
  add_symbol(out, "tgh_observe_fence", &observe_fence);
  add_symbol(out, "tgh_observe_warp_sync", &observe_warp_sync);
  add_symbol(out, "tgh_observe_give_way", &observe_give_way);
  add_symbol(out, "tgh_observe_warp_barrier", &observe_warp_barrier);
  add_symbol(out, "tgh_cp_async", &cp_async);
  add_symbol(out, "tgh_async_bulk", &async_bulk);
  add_symbol(out, "tgh_async_group", &async_group);
  add_symbol(out, "tgh_proxy_fence", &proxy_fence);
}

} // namespace tollgate::exec
