// Bulk copies (PTX ISA 9.7.9.25.4), carried out by the lane that issues them. Observers see 16 bytes at a time: what
// the manual asks addresses and sizes to be multiples of.
#include "base/each_lane.h"
#include "exec/address.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "exec/worker.h"
#include "exec/written.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tollgate::exec {

namespace {

using simd::WarpContext;

constexpr uint32_t kUnit = 16; // bytes

// The accesses of one lane to [address, address + bytes), `unit` bytes each.
void observe(WarpContext* w, unsigned lane, observe::AccessKind kind, uint64_t address, uint32_t bytes, uint32_t unit,
             uint32_t site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  if ((run->launch().config->events & observe::AccessEvents) == 0) return;
  uint64_t addresses[simd::kLanes] = {};
  observe::MemoryEvent event;
  event.block = run->ref();
  event.warp = w->warp;
  event.mask = 1u << lane;
  event.site = site;
  event.kind = kind;
  event.address = addresses;
  event.by_copy = kind != observe::AccessKind::Atomic; // reductions are not followed (checks/race/async_copies.h)
  if (kind == observe::AccessKind::Atomic) {
    event.order = observe::Order::Relaxed;
    event.scope = observe::SyncScope::Gpu;
  }
  for (uint32_t at = 0; at < bytes; at += unit) {
    addresses[lane] = address + at;
    event.bytes = std::min(unit, bytes - at);
    note_access(event);
    for (observe::Observer* o : run->launch().config->observers) o->on_memory(event);
  }
}

void copy(WarpContext* w, unsigned lane, uint64_t destination, uint64_t source, uint32_t bytes, uint32_t site) {
  observe(w, lane, observe::AccessKind::Load, source, bytes, kUnit, site);
  observe(w, lane, observe::AccessKind::Store, destination, bytes, kUnit, site);
  memcpy(backing(destination), backing(source), bytes);
  copy_written(destination, source, bytes);
}

void bulk(WarpContext* w, uint32_t lanes, const uint64_t* destination, const uint64_t* source, const uint32_t* bytes,
          const uint32_t* site) {
  each_lane(lanes, [&](unsigned i) { copy(w, i, destination[i], source[i], bytes[i], site[0]); });
}

// To the same place in each block of the mask, whose mbarrier at the same place as the named one counts the bytes.
void multicast(WarpContext* w, uint32_t lanes, const uint64_t* destination, const uint64_t* source,
               const uint32_t* bytes, const uint64_t* mbarrier, const uint32_t* blocks, const uint32_t* site) {
  const auto in_block = [&](uint64_t address, unsigned rank) {
    return w->block->cluster_shared + rank * 2 * kSharedWindow + address % kSharedWindow;
  };
  each_lane(lanes, [&](unsigned i) {
    each_lane(blocks[i] & 0xffff, [&](unsigned rank) {
      copy(w, i, in_block(destination[i], rank), source[i], bytes[i], site[0]);
      complete_bytes(w, i, in_block(mbarrier[i], rank), bytes[i], site[0]);
    });
  });
}

void reduce(WarpContext* w, uint32_t lanes, const uint64_t* destination, const uint64_t* source, const uint32_t* bytes,
            const uint32_t* op, const uint32_t* element, const uint32_t* site) {
  const RedFunction red = red_function(op[0], element[0]);
  alignas(64) uint64_t addresses[simd::kLanes];
  alignas(64) uint8_t operands[simd::kLanes * 8];
  each_lane(lanes, [&](unsigned i) {
    observe(w, i, observe::AccessKind::Load, source[i], bytes[i], kUnit, site[0]);
    observe(w, i, observe::AccessKind::Atomic, destination[i], bytes[i], element[0], site[0]);
    for (uint32_t at = 0; at < bytes[i];) {
      const uint32_t count = std::min(simd::kLanes, (bytes[i] - at) / element[0]);
      if (count == 0) return;
      for (uint32_t k = 0; k < count; ++k)
        addresses[k] = reinterpret_cast<uint64_t>(backing(destination[i] + at + k * element[0]));
      memcpy(operands, backing(source[i] + at), count * element[0]);
      red(count == simd::kLanes ? simd::kAllLanes : (1u << count) - 1, addresses, operands);
      at += count * element[0];
    }
  });
}

} // namespace

void add_bulk_symbols(Symbols& out) {
  add_symbol(out, "tgh_cp_bulk", &bulk);
  add_symbol(out, "tgh_cp_bulk_multicast", &multicast);
  add_symbol(out, "tgh_cp_reduce_bulk", &reduce);
}

} // namespace tollgate::exec
