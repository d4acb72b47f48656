// The rare ways of code that follows undefined values (simd/undefined.h): bits that were read and never written, and
// places where they decide something.
#include "base/each_lane.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "exec/written.h"
#include "simd/lane_language.h"

#include <bit>
#include <cstring>

namespace tollgate::exec {

namespace {

using simd::WarpContext;

bool any_bit(const uint8_t* bits, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (bits[i] != 0) return true;
  return false;
}

// `missing`: for each lane the bits that were never written; cleared where that does not count. An atomic is told once:
// what it updates counts as written from then on.
void undefined_load(WarpContext* w, uint32_t lanes, const uint64_t* address, uint32_t encoded, uint32_t site,
                    uint8_t* missing) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  const auto desc = simd::AccessDesc::decode(encoded);
  const unsigned bytes = desc.bytes == 0 ? 256 : desc.bytes;
  uint32_t never = 0;
  each_lane(lanes, [&](unsigned i) {
    if (!any_bit(missing + i * bytes, bytes)) return;
    if (run->launch().memory->counts_as_written(address[i], bytes))
      memset(missing + i * bytes, 0, bytes);
    else
      never |= 1u << i;
  });
  if (never == 0) return;
  const observe::UndefinedLoadEvent event{run->ref(), w->warp, never, site, bytes, address};
  for (observe::Observer* o : run->launch().config->observers) o->on_undefined_load(event);
  if (observe::AccessKind(desc.kind) == observe::AccessKind::Atomic)
    each_lane(never, [&](unsigned i) { note_written(address[i], bytes); });
}

// `origin`: the load's site + 1 for each lane.
void undefined_use(WarpContext* w, uint32_t lanes, const uint32_t* origin, uint32_t use, uint32_t site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  each_set(lanes, origin, [&](uint32_t set, uint32_t load) {
    const observe::UndefinedUseEvent event{run->ref(), w->warp, set, site, load - 1, observe::ValueUse(use)};
    for (observe::Observer* o : run->launch().config->observers) o->on_undefined_use(event);
  });
}

} // namespace

void add_undefined_symbols(Symbols& out) {
  add_symbol(out, "tgh_undefined_load", &undefined_load);
  add_symbol(out, "tgh_undefined_use", &undefined_use);
}

} // namespace tollgate::exec
