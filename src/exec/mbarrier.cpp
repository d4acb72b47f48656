// mbarrier objects (PTX ISA 9.7.13.15): a 64-bit word in shared memory, opaque to programs. Ours:
//   bits 0-19 pending arrivals, 20-39 expected arrivals, 40-61 pending transaction bytes (signed), 62 phase parity,
//   63 initialised.
// A block stays on one host thread, so plain accesses do.
#include "exec/runtime_symbols.h"
#include "simd/warp_context.h"

#include "exec/address.h"

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
  void complete_if_done() {
    if (pending != 0 || tx != 0) return;
    phase = !phase;
    pending = expected;
  }
};

uint64_t* object(uint64_t device) { return static_cast<uint64_t*>(backing(device)); }

template <typename Fn> void each(uint32_t lanes, Fn fn) {
  for (uint32_t left = lanes; left != 0; left &= left - 1) fn(unsigned(std::countr_zero(left)));
}

template <typename Fn> void update(uint32_t lanes, const uint64_t* address, Fn fn) {
  each(lanes, [&](unsigned i) {
    Mbarrier m = Mbarrier::read(*object(address[i]));
    fn(m, i);
    m.complete_if_done();
    *object(address[i]) = m.word();
  });
}

void init(WarpContext*, uint32_t lanes, const uint64_t* address, const uint32_t* count, const uint32_t*) {
  each(lanes, [&](unsigned i) { *object(address[i]) = Mbarrier{count[i], count[i], 0, false}.word(); });
}
void inval(WarpContext*, uint32_t lanes, const uint64_t* address, const uint32_t*) {
  each(lanes, [&](unsigned i) { *object(address[i]) = 0; });
}
void expect_tx(WarpContext*, uint32_t lanes, const uint64_t* address, const uint32_t* bytes, const uint32_t*) {
  update(lanes, address, [&](Mbarrier& m, unsigned i) { m.tx += int32_t(bytes[i]); });
}
void complete_tx(WarpContext*, uint32_t lanes, const uint64_t* address, const uint32_t* bytes, const uint32_t*) {
  update(lanes, address, [&](Mbarrier& m, unsigned i) { m.tx -= int32_t(bytes[i]); });
}

// The state that arrive returns is the word before: its phase says which phase it belongs to.
template <typename Fn>
void arrive_with(uint32_t lanes, uint64_t* out, const uint64_t* address, Fn fn) {
  update(lanes, address, [&](Mbarrier& m, unsigned i) {
    out[i] = m.word();
    fn(m, i);
  });
}
void arrive(WarpContext*, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* count, const uint32_t*) {
  arrive_with(lanes, out, address, [&](Mbarrier& m, unsigned i) { m.pending -= count[i]; });
}
void arrive_drop(WarpContext*, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* count, const uint32_t*) {
  arrive_with(lanes, out, address, [&](Mbarrier& m, unsigned i) {
    m.pending -= count[i];
    m.expected -= count[i];
  });
}
void arrive_expect_tx(WarpContext*, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* bytes, const uint32_t*) {
  arrive_with(lanes, out, address, [&](Mbarrier& m, unsigned i) {
    m.tx += int32_t(bytes[i]);
    m.pending -= 1;
  });
}
void arrive_drop_expect_tx(WarpContext*, uint32_t lanes, uint64_t* out, const uint64_t* address, const uint32_t* bytes,
                           const uint32_t*) {
  arrive_with(lanes, out, address, [&](Mbarrier& m, unsigned i) {
    m.tx += int32_t(bytes[i]);
    m.pending -= 1;
    m.expected -= 1;
  });
}
// cp.async.mbarrier.arrive: our copies are done when issued. Without .noinc the pending count is raised by one first.
void async_arrive(WarpContext*, uint32_t lanes, const uint64_t* address, const uint32_t* no_inc) {
  update(lanes, address, [&](Mbarrier& m, unsigned i) { m.pending -= no_inc[i] != 0 ? 1 : 0; });
}

void test_state(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* address, const uint64_t* state, const uint32_t*) {
  each(lanes, [&](unsigned i) { out[i] = Mbarrier::read(*object(address[i])).phase != Mbarrier::read(state[i]).phase; });
}
// True once the phase of the given parity has completed: the current phase has the other parity.
void test_parity(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* address, const uint64_t* parity, const uint32_t*) {
  each(lanes, [&](unsigned i) { out[i] = Mbarrier::read(*object(address[i])).phase != ((parity[i] & 1) != 0); });
}
void pending_count(WarpContext*, uint32_t lanes, uint32_t* out, const uint64_t* state) {
  each(lanes, [&](unsigned i) { out[i] = Mbarrier::read(state[i]).pending; });
}

} // namespace

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
