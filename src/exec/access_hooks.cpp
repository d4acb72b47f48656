#include "exec/access_hooks.h"

#include "base/each_lane.h"
#include "exec/address.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "exec/worker.h"

#include <bit>

namespace tollgate::exec {

namespace {

using observe::LaneAddresses;
using observe::MemoryEvent;
using simd::AccessDesc;
using simd::kAllLanes;
using simd::kLanes;
using simd::WarpContext;

// An access to the block's own shared memory: wholly within one of its variables, which `last` then names.
bool is_in_variable(const BlockRun& run, uint64_t offset, uint64_t span, DeviceMemory::Found& last) {
  for (const Stretch& part : run.launch().shared_parts) {
    if (offset - part.begin >= part.end - part.begin) continue;
    const uint64_t generation = run.launch().memory->generation().load(std::memory_order_relaxed);
    last = {generation, run.slab() + part.begin, run.slab() + part.end};
    return span <= part.end - offset;
  }
  return false;
}

// Aligned to its size (PTX ISA, ld: vectors count as one access), and all that lies between the lowest and the highest
// byte is in one live object.
bool is_sound(BlockRun& run, uint32_t site, uint64_t low, uint64_t high, uint64_t all_bits, uint32_t bytes) {
  const uint64_t span = high - low + bytes;
  if (std::has_single_bit(bytes) && (all_bits & (bytes - 1)) != 0) return false;
  if (kLocalRange.contains(low)) return false; // parted by lanes: is_own_local
  DeviceMemory::Found& last = run.last_object(site);
  DeviceMemory& memory = *run.launch().memory;
  if (!kSharedRange.contains(low)) return memory.contains(low, span, last);
  if (memory.generation().load(std::memory_order_relaxed) == last.generation && low - last.base < last.end - last.base)
    return span <= last.end - low;
  // Red zones in another block's shared memory: the bounds check knows where.
  return low - run.slab() < run.launch().shared_bytes() && is_in_variable(run, low - run.slab(), span, last);
}

// Each lane stays within its own local memory.
bool is_own_local(const WarpContext& w, const Launch& launch, const LaneAddresses& address, uint32_t lanes,
                  uint32_t bytes) {
  const uint64_t frame = launch.local_frame();
  if (!kLocalRange.contains(address[uint32_t(std::countr_zero(lanes))]) || frame < bytes) return false;
  bool own = true;
  each_lane(lanes, [&](uint32_t lane) {
    const uint64_t offset = address[lane] - (w.local_base + lane * w.local_stride);
    own &= offset <= frame - bytes && (!std::has_single_bit(bytes) || (address[lane] & (bytes - 1)) == 0);
  });
  return own;
}

bool is_line_sound(BlockRun& run, uint32_t site, const LaneAddresses& line, uint32_t lanes, uint32_t bytes) {
  const uint64_t a = line[uint32_t(std::countr_zero(lanes))], b = line[31 - uint32_t(std::countl_zero(lanes))];
  const uint64_t steps = a == b ? 0 : line.stride();
  return is_sound(run, site, std::min(a, b), std::max(a, b), a | steps, bytes);
}

// Lanes that do not run get the address of one that does.
struct alignas(64) Filled {
  Filled(const uint64_t* each, uint32_t lanes) {
    const uint64_t known = each[std::countr_zero(lanes)];
    for (uint32_t i = 0; i < kLanes; ++i) at[i] = (lanes >> i & 1) != 0 ? each[i] : known;
  }
  uint64_t at[kLanes];
};

bool are_sound(BlockRun& run, uint32_t site, const uint64_t* each, uint32_t lanes, uint32_t bytes) {
  const Filled filled(each, lanes);
  // No address of the window has its sign bit set; any other is in no object.
  int64_t low = int64_t(filled.at[0]), high = low;
  uint64_t bits = 0;
  for (const uint64_t a : filled.at) {
    low = std::min(low, int64_t(a));
    high = std::max(high, int64_t(a));
    bits |= a;
  }
  return low >= 0 && is_sound(run, site, uint64_t(low), uint64_t(high), bits, bytes);
}

void tell(WarpContext* w, uint32_t lanes, const LaneAddresses& device, AccessDesc desc, uint32_t site,
          const void* values) {
  auto& run = *static_cast<BlockRun*>(w->block->exec);
  Launch& launch = run.launch();
  const Listeners& listeners = launch.listeners;
  const uint32_t bytes = desc.bytes == 0 ? 256 : desc.bytes;
  const bool sound = desc.sound ||
                     (device.in_line() ? is_line_sound(run, site, device, lanes, bytes)
                                       : are_sound(run, site, device.each(), lanes, bytes)) ||
                     is_own_local(*w, launch, device, lanes, bytes);
  const bool polled = launch.livelock && launch.livelock->active();
  const bool atomic = observe::AccessKind(desc.kind) == observe::AccessKind::Atomic && !listeners.atomics.empty();
  if (sound && !polled && !atomic && listeners.memory.empty()) return;

  MemoryEvent event;
  event.block = run.ref();
  event.warp = w->warp;
  event.mask = lanes;
  event.site = site;
  event.kind = observe::AccessKind(desc.kind);
  event.space = observe::MemorySpace(desc.space);
  event.order = observe::Order(desc.order);
  event.scope = observe::SyncScope(desc.scope);
  event.bytes = bytes;
  event.address = device;
  event.values = values;
  event.element_bytes = desc.element_bytes;
  event.compares = desc.compares;
  event.polls = desc.polls;
  event.by_copy = desc.by_copy;
  if (!sound) [[unlikely]] {
    note_access(event); // a fault right after this one is its doing
    for (observe::Observer* o : listeners.unsound) o->on_memory(event);
  }
  if (polled) launch.livelock->note_access(event);
  if (atomic)
    for (observe::Observer* o : listeners.atomics) o->on_memory(event);
  for (observe::Observer* o : listeners.memory) o->on_memory(event);
}

// False: to be told as any other. `what`: as below. Of atomics, the generated code tests those alone that every device
// has an instruction for.
bool tell_updates(const WarpContext* w, const uint64_t* device, uint64_t what) {
  const Launch& launch = static_cast<const BlockRun*>(w->block->exec)->launch();
  const AccessDesc desc = AccessDesc::decode(uint32_t(what));
  const bool update = desc.sound && observe::AccessKind(desc.kind) == observe::AccessKind::Atomic && desc.bytes == 4 &&
                      observe::Order(desc.order) == observe::Order::Relaxed &&
                      observe::SyncScope(desc.scope) == observe::SyncScope::Gpu && !desc.compares && !desc.by_copy;
  observe::Observer* only = launch.only_observer();
  return update && only != nullptr && only->on_updates({w->block->linear, w->warp, uint32_t(what >> 32), device});
}

// The same, of some lanes side by side or of all in rows.
bool tell_rows(const WarpContext* w, std::span<const uint64_t> first, uint64_t stride, uint64_t what, uint32_t lane = 0,
               uint32_t lanes = kLanes) {
  auto& run = *static_cast<BlockRun*>(w->block->exec);
  Launch& launch = run.launch();
  observe::Observer* only = launch.only_observer();
  if (only == nullptr) return false;
  const AccessDesc desc = AccessDesc::decode(uint32_t(what));
  const auto site = uint32_t(what >> 32);
  const auto kind = observe::AccessKind(desc.kind);
  const bool plain = kind != observe::AccessKind::Atomic && observe::Order(desc.order) == observe::Order::Weak &&
                     !desc.compares && !desc.polls && !desc.by_copy;
  if (!plain || desc.bytes > 16 || !std::has_single_bit(desc.bytes)) return false;
  if (stride % desc.bytes != 0 || stride > 4096 || (stride == 0 && kind == observe::AccessKind::Store)) return false;
  const uint64_t all = stride * (lanes / first.size() - 1);
  for (const uint64_t row : first)
    if (!desc.sound && !is_sound(run, site, row, row + all, row, desc.bytes)) return false;
  return only->on_rows({run.ref().linear, w->warp, site, kind, observe::MemorySpace(desc.space), desc.bytes,
                        uint32_t(stride), first, lane, lanes});
}

// Of an access whose lines generated code does not know. `what`: the description below, the site above.
void observe_each(WarpContext* w, uint32_t lanes, const uint64_t* device, uint64_t what, const void* values) {
  if (lanes == kAllLanes && tell_updates(w, device, what)) return;
  tell(w, lanes, LaneAddresses(device).settled(lanes), AccessDesc::decode(uint32_t(what)), uint32_t(what >> 32),
       values);
}

// Of rows of 16 or 8 lanes.
void observe_rows(WarpContext* w, uint32_t lanes, const uint64_t* first, uint64_t rows, uint64_t stride, uint64_t what,
                  const void* values) {
  if (lanes == kAllLanes && tell_rows(w, {first, rows}, stride, what)) return;
  alignas(64) uint64_t each[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) each[lane] = observe::address_in_rows({first, rows}, stride, lane);
  observe_each(w, lanes, each, what, values);
}

void observe_line(WarpContext* w, uint32_t lanes, uint64_t first, uint64_t stride, uint64_t what, const void* values) {
  const auto lane = uint32_t(std::countr_zero(lanes)), count = uint32_t(std::popcount(lanes));
  if (lanes != 0 && ((lanes >> lane) & ((lanes >> lane) + 1)) == 0) { // side by side
    const uint64_t start = first + lane * stride, bytes = AccessDesc::decode(uint32_t(what)).bytes;
    if (tell_rows(w, {&start, 1}, count == 1 ? bytes : stride, what, lane, count)) return;
  }
  tell(w, lanes, LaneAddresses::line(first, stride), AccessDesc::decode(uint32_t(what)), uint32_t(what >> 32), values);
}

} // namespace

void observe_access(WarpContext* w, uint32_t lanes, const uint64_t* device, AccessDesc desc, uint32_t site,
                    const void* values) {
  tell(w, lanes, LaneAddresses(device).settled(lanes), desc, site, values);
}

void add_access_symbols(Symbols& out) {
  add_symbol(out, "tgh_observe_each", &observe_each);
  add_symbol(out, "tgh_observe_line", &observe_line);
  add_symbol(out, "tgh_observe_rows", &observe_rows);
}

} // namespace tollgate::exec
