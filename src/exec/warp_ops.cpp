// shfl, match, redux and other operations among the lanes of a warp that run together (PTX ISA 9.7.13).
#include "base/each_lane.h"
#include "exec/address.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "simd/lane_language.h"
#include "simd/warp_context.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace tollgate::exec {

namespace {

using simd::kAllLanes;
using simd::ShflMode;
using simd::WarpContext;

// The lane that shfl reads, and whether it is in range: the algorithm of the PTX manual for shfl.sync.
struct Source {
  unsigned lane;
  bool in_range;
};

Source source(ShflMode mode, unsigned lane, uint32_t b, uint32_t c) {
  unsigned bval = b & 0x1f, cval = c & 0x1f, segment = c >> 8 & 0x1f;
  unsigned max_lane = (lane & segment) | (cval & ~segment);
  unsigned min_lane = lane & segment;
  unsigned from = 0;
  bool in_range = false;
  switch (mode) {
  case ShflMode::Up:
    from = lane - bval;
    in_range = int(from) >= int(max_lane);
    break;
  case ShflMode::Down:
    from = lane + bval;
    in_range = from <= max_lane;
    break;
  case ShflMode::Bfly:
    from = lane ^ bval;
    in_range = from <= max_lane;
    break;
  case ShflMode::Idx:
    from = min_lane | (bval & ~segment);
    in_range = from <= max_lane;
    break;
  }
  return {in_range ? from & 31 : lane, in_range};
}

// A lane that does not take part gives what its register holds here: unspecified in PTX.
void shfl(uint32_t mode, uint32_t lanes, const uint32_t* value, const uint32_t* b, const uint32_t* c, uint32_t* out) {
  (void)lanes;
  for (unsigned i = 0; i < 32; ++i) out[i] = value[source(ShflMode(mode), i, b[i], c[i]).lane];
}

void shfl_in_range(uint32_t mode, const uint32_t* b, const uint32_t* c, uint32_t* out) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= uint32_t(source(ShflMode(mode), i, b[i], c[i]).in_range) << i;
  *out = bits;
}

constexpr uint32_t kNoSite = 0;

// For each lane the shuffle's site if it reads a lane that its mask does not name, or that has left the kernel.
void observe_inactive_source(WarpContext* w, uint32_t lanes, uint32_t* out, const uint32_t* mode, const uint32_t* b,
                             const uint32_t* c, const uint32_t* mask, const uint32_t* site) {
  std::fill_n(out, simd::kLanes, kNoSite);
  each_lane(lanes, [&](unsigned i) {
    const uint32_t from = 1u << source(ShflMode(mode[i]), i, b[i], c[i]).lane;
    if ((from & mask[i] & ~w->exited) == 0 && from != 1u << i) out[i] = site[i];
  });
}

// `shuffles`: the site that made the value undefined, for each lane; `address`: where it is stored, 0 if that is not
// local.
void observe_inactive_use(WarpContext* w, uint32_t lanes, const uint32_t* shuffles, const uint32_t* use,
                          const uint32_t* site, const uint64_t* address) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  each_set(lanes, shuffles, [&](uint32_t set, uint32_t shuffle) {
    const auto first = unsigned(std::countr_zero(set));
    each_lane(set, [&](unsigned i) { set &= kLocalRange.contains(address[i]) ? ~(1u << i) : kAllLanes; });
    if (shuffle == kNoSite || set == 0) return;
    const observe::InactiveUseEvent event{run->ref(),  w->warp, set,
                                          site[first], shuffle, observe::ValueUse(use[first])};
    for (observe::Observer* o : run->launch().config->observers) o->on_inactive_use(event);
  });
}

// fn(set, members) for each set of running lanes that name the same member mask; as a rule it is one.
template <typename Fn> void each_member_set(uint32_t lanes, const uint32_t* mask, Fn fn) {
  each_set(lanes, mask, [&](uint32_t set, uint32_t members) { fn(set, members & lanes); });
}

void match_any(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* value, const uint32_t* mask) {
  each_member_set(lanes, mask, [&](uint32_t set, uint32_t members) {
    each_set(set, value, [&](uint32_t some, uint64_t v) {
      const uint32_t same = lanes_with(value, v) & members;
      each_lane(some, [&](unsigned i) { out[i] = same; });
    });
  });
}

void match_all(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* value, const uint32_t* mask) {
  each_member_set(lanes, mask, [&](uint32_t set, uint32_t members) {
    const bool all = members == 0 || (members & ~lanes_with(value, value[std::countr_zero(members)])) == 0;
    each_lane(set, [&](unsigned i) { out[i] = all ? members : 0; });
  });
}

template <typename Fn> void redux(uint32_t lanes, uint32_t* out, const uint32_t* value, const uint32_t* mask, Fn fn) {
  each_member_set(lanes, mask, [&](uint32_t set, uint32_t members) {
    if (members == 0) return each_lane(set, [&](unsigned i) { out[i] = value[i]; });
    uint32_t sum = value[std::countr_zero(members)];
    each_lane(members & (members - 1), [&](unsigned k) { sum = fn(sum, value[k]); });
    each_lane(set, [&](unsigned i) { out[i] = sum; });
  });
}

void redux_add(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a + b; });
}
void redux_and(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a & b; });
}
void redux_or(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a | b; });
}
void redux_xor(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a ^ b; });
}
void redux_min_u(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
}
void redux_max_u(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
}
void redux_min_s(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; });
}
void redux_max_s(WarpContext*, uint32_t l, uint32_t* o, const uint32_t* v, const uint32_t* m) {
  redux(l, o, v, m, [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; });
}

// %clock, %clock64, %globaltimer: nanoseconds of the host. See docs/limits.md.
uint64_t clock(WarpContext* w, uint32_t) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  const auto now = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  LivelockWatch* watch = run->launch().livelock.get();
  return watch != nullptr ? watch->clock(now) : now;
}

void nanosleep(WarpContext*, uint32_t, const uint32_t*) {} // giving way at the back-edge is what matters

} // namespace

void add_warp_symbols(Symbols& out) {
  add_symbol(out, "tgh_shfl", &shfl);
  add_symbol(out, "tgh_shfl_in_range", &shfl_in_range);
  add_symbol(out, "tgh_observe_inactive_source", &observe_inactive_source);
  add_symbol(out, "tgh_observe_inactive_use", &observe_inactive_use);
  add_symbol(out, "tgh_match_any", &match_any);
  add_symbol(out, "tgh_match_all", &match_all);
  add_symbol(out, "tgh_redux_add", &redux_add);
  add_symbol(out, "tgh_redux_and", &redux_and);
  add_symbol(out, "tgh_redux_or", &redux_or);
  add_symbol(out, "tgh_redux_xor", &redux_xor);
  add_symbol(out, "tgh_redux_min_u", &redux_min_u);
  add_symbol(out, "tgh_redux_max_u", &redux_max_u);
  add_symbol(out, "tgh_redux_min_s", &redux_min_s);
  add_symbol(out, "tgh_redux_max_s", &redux_max_s);
  add_symbol(out, "tgh_clock", &clock);
  add_symbol(out, "tgh_nanosleep", &nanosleep);
}

} // namespace tollgate::exec
