// mbarrier objects (PTX ISA 9.7.13.15): a 64-bit word in shared memory, opaque to programs. Ours:
//   bits 0-19 pending arrivals, 20-39 expected arrivals, 40-61 pending transaction bytes (signed), 62 phase parity,
//   63 initialised.
// The blocks of a cluster stay on one host thread, so plain accesses do.
#include "base/each_lane.h"
#include "exec/address.h"
#include "exec/block_run.h"
#include "exec/runtime_symbols.h"
#include "exec/written.h"
#include "simd/warp_context.h"

#include <algorithm>
#include <bit>

namespace tollgate::exec {

namespace {

using simd::WarpContext;

struct Mbarrier {
  uint32_t pending, expected;
  int32_t tx;
  bool phase;

  static Mbarrier read(uint64_t word) {
    Mbarrier m{};
    m.pending = uint32_t(word & 0xfffff);
    m.expected = uint32_t(word >> 20 & 0xfffff);
    m.tx = int32_t(uint32_t(word >> 40 & 0x3fffff) << 10) >> 10;
    m.phase = (word >> 62 & 1) != 0;
    return m;
  }
  [[nodiscard]] uint64_t word() const {
    return uint64_t(pending & 0xfffff) | uint64_t(expected & 0xfffff) << 20 | uint64_t(uint32_t(tx) & 0x3fffff) << 40 |
           uint64_t(phase) << 62 | 1ull << 63;
  }
  bool complete_if_done() {
    if (pending != 0 || tx != 0) return false;
    phase = !phase;
    pending = expected;
    return true;
  }
};

uint64_t* object(uint64_t device) { return static_cast<uint64_t*>(backing(device)); }

using observe::MbarrierOp;

// `before` is the object before the operation.
void note(WarpContext* w, unsigned lane, MbarrierOp op, uint64_t address, const Mbarrier& before, uint32_t site,
          uint32_t arrivals = 0, bool completes = false, bool relaxed = false) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  if ((run->launch().config->events & observe::SyncEvents) == 0) return;
  observe::MbarrierEvent event{run->ref(), w->warp,        1u << lane,      site,      op,     address, completes,
                               arrivals,   before.pending, before.expected, before.tx, relaxed};
  for (observe::Observer* o : run->launch().listeners.sync) o->on_mbarrier(event);
}

// `fn` changes the object and returns the number of arrivals that it counted. What only counts bytes is relaxed.
template <typename Fn>
void update(WarpContext* w, uint32_t lanes, const uint64_t* address, uint32_t site, Fn fn, bool relaxed = false) {
  each_lane(lanes, [&](unsigned i) {
    const Mbarrier before = Mbarrier::read(*object(address[i]));
    Mbarrier m = before;
    const uint32_t arrivals = fn(m, i);
    const bool completes = m.complete_if_done();
    *object(address[i]) = m.word();
    note(w, i, MbarrierOp::Arrive, address[i], before, site, arrivals, completes, relaxed);
  });
}

// More than are pending is an error of the program: the phase ends, and no count wraps round.
uint32_t count_down(uint32_t& count, uint32_t by) {
  count -= std::min(count, by);
  return by;
}

void init(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* count, const uint32_t* site) {
  each_lane(lanes, [&](unsigned i) {
    const Mbarrier fresh{count[i], count[i], 0, false};
    *object(address[i]) = fresh.word();
    note_written(address[i], sizeof(uint64_t));
    note(w, i, MbarrierOp::Init, address[i], fresh, site[0]);
  });
}
void inval(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* site) {
  each_lane(lanes, [&](unsigned i) {
    const Mbarrier before = Mbarrier::read(*object(address[i]));
    *object(address[i]) = 0;
    note(w, i, MbarrierOp::Invalidate, address[i], before, site[0]);
  });
}
void expect_tx(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* bytes, const uint32_t* site) {
  update(w, lanes, address, site[0], [&](Mbarrier& m, unsigned i) { return m.tx += int32_t(bytes[i]), 0u; }, true);
}
void complete_tx(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* bytes, const uint32_t* site) {
  update(w, lanes, address, site[0], [&](Mbarrier& m, unsigned i) { return m.tx -= int32_t(bytes[i]), 0u; });
}

// The state that arrive returns is the word before: its phase says which phase it belongs to.
template <typename Fn>
void arrive_with(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* address, uint32_t site, Fn fn) {
  update(w, lanes, address, site, [&](Mbarrier& m, unsigned i) {
    out[i] = m.word();
    return fn(m, i);
  });
}
void arrive(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* count,
            const uint32_t* site) {
  arrive_with(w, lanes, out, address, site[0],
              [&](Mbarrier& m, unsigned i) { return count_down(m.pending, count[i]); });
}
void arrive_drop(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* count,
                 const uint32_t* site) {
  arrive_with(w, lanes, out, address, site[0], [&](Mbarrier& m, unsigned i) {
    count_down(m.expected, count[i]);
    return count_down(m.pending, count[i]);
  });
}
void arrive_expect_tx(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* bytes,
                      const uint32_t* site) {
  arrive_with(w, lanes, out, address, site[0], [&](Mbarrier& m, unsigned i) {
    m.tx += int32_t(bytes[i]);
    return count_down(m.pending, 1);
  });
}
void arrive_drop_expect_tx(WarpContext* w, uint32_t lanes, uint64_t* out, const uint64_t* address,
                           const uint32_t* bytes, const uint32_t* site) {
  arrive_with(w, lanes, out, address, site[0], [&](Mbarrier& m, unsigned i) {
    m.tx += int32_t(bytes[i]);
    count_down(m.expected, 1);
    return count_down(m.pending, 1);
  });
}
// cp.async.mbarrier.arrive: our copies are done when issued. Without .noinc the pending count is raised by one first.
void async_arrive(WarpContext* w, uint32_t lanes, const uint64_t* address, const uint32_t* no_inc,
                  const uint32_t* site) {
  auto* run = static_cast<BlockRun*>(w->block->exec);
  if ((run->launch().config->events & observe::SyncEvents) != 0) {
    observe::AsyncEvent event;
    event.block = run->ref(), event.warp = w->warp, event.mask = lanes, event.site = site[0];
    event.op = observe::AsyncOp::MbarrierArrive;
    event.mbarrier = address;
    for (observe::Observer* o : run->launch().listeners.sync) o->on_async(event);
  }
  auto arrive = [&](Mbarrier& m, unsigned i) { return count_down(m.pending, no_inc[i] != 0 ? 1 : 0); };
  update(w, lanes, address, site[0], arrive, true);
}

void test(WarpContext* w, unsigned lane, uint32_t* out, const uint64_t* address, bool phase, uint32_t site) {
  const uint64_t word = *object(address[lane]);
  auto* run = static_cast<BlockRun*>(w->block->exec);
  const Mbarrier now = Mbarrier::read(word);
  out[lane] = now.phase != phase;
  if (LivelockWatch* watch = run->launch().livelock.get()) {
    watch->note_value(word);
    watch->note_poll(w->block->linear, w->warp, 1u << lane, site, address[lane]);
  }
  note(w, lane, out[lane] != 0 ? MbarrierOp::Wait : MbarrierOp::Poll, address[lane], now, site);
}
void test_state(WarpContext* w, uint32_t lanes, uint32_t* out, const uint64_t* address, const uint64_t* state,
                const uint32_t* site) {
  each_lane(lanes, [&](unsigned i) { test(w, i, out, address, Mbarrier::read(state[i]).phase, site[0]); });
}
// True once the phase of the given parity has completed: the current phase has the other parity.
void test_parity(WarpContext* w, uint32_t lanes, uint32_t* out, const uint64_t* address, const uint64_t* parity,
                 const uint32_t* site) {
  each_lane(lanes, [&](unsigned i) { test(w, i, out, address, (parity[i] & 1) != 0, site[0]); });
}
void pending_count(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* state) {
  each_lane(lanes, [&](unsigned i) { out[i] = Mbarrier::read(state[i]).pending; });
}

} // namespace

void complete_bytes(WarpContext* w, unsigned lane, uint64_t mbarrier, uint32_t bytes, uint32_t site) {
  uint64_t addresses[simd::kLanes] = {};
  addresses[lane] = mbarrier;
  update(w, 1u << lane, addresses, site, [&](Mbarrier& m, unsigned) { return m.tx -= int32_t(bytes), 0u; });
}

void add_mbarrier_symbols(Symbols& out) {
  add_symbol(out, "tgh_mbarrier_init", &init);
  add_symbol(out, "tgh_mbarrier_inval", &inval);
  add_symbol(out, "tgh_mbarrier_expect_tx", &expect_tx);
  add_symbol(out, "tgh_mbarrier_complete_tx", &complete_tx);
  add_symbol(out, "tgh_mbarrier_arrive", &arrive);
  add_symbol(out, "tgh_mbarrier_arrive_drop", &arrive_drop);
  add_symbol(out, "tgh_mbarrier_arrive_expect_tx", &arrive_expect_tx);
  add_symbol(out, "tgh_mbarrier_arrive_drop_expect_tx", &arrive_drop_expect_tx);
  add_symbol(out, "tgh_mbarrier_async_arrive", &async_arrive);
  add_symbol(out, "tgh_mbarrier_test_state", &test_state);
  add_symbol(out, "tgh_mbarrier_test_parity", &test_parity);
  add_symbol(out, "tgh_mbarrier_pending_count", &pending_count);
}

} // namespace tollgate::exec
