// The functions that generated code calls ("tgh_..."): one registrar per file, joined here for the JIT.
// Conventions: `lanes` is the mask of running lanes; addresses are host addresses unless called `device`; vectors are
// arrays of 32 elements, aligned to 64 bytes; lanes are served in ascending order.
#pragma once

#include "jit/jit.h"
#include "simd/warp_context.h"

#include <vector>

namespace tollgate::exec {

using Symbols = std::vector<jit::RuntimeSymbol>;

void add_memory_symbols(Symbols& out);    // lane_memory.cpp
void add_atomic_symbols(Symbols& out);    // lane_atomics.cpp
void add_warp_symbols(Symbols& out);      // warp_ops.cpp
void add_mbarrier_symbols(Symbols& out);  // mbarrier.cpp
void add_bulk_symbols(Symbols& out);      // bulk_copy.cpp
void add_stop_symbols(Symbols& out);      // block_run.cpp
void add_system_symbols(Symbols& out);    // system_calls.cpp
void add_access_symbols(Symbols& out);    // access_hooks.cpp
void add_undefined_symbols(Symbols& out); // undefined.cpp

Symbols runtime_symbols(); // all of them, and those of rtlib

// What bulk copies share with other helpers. red, in memory of any kind, on elements of `bytes`; `op` is a
// simd::AtomOp.
using RedFunction = void (*)(uint32_t lanes, const uint64_t* address, const void* operands);
RedFunction red_function(uint32_t op, unsigned bytes);
// mbarrier.complete_tx by one lane.
void complete_bytes(simd::WarpContext* w, unsigned lane, uint64_t mbarrier, uint32_t bytes, uint32_t site);

template <typename Fn> void add_symbol(Symbols& out, std::string name, Fn* fn) {
  out.push_back({std::move(name), reinterpret_cast<void*>(fn)});
}

} // namespace tollgate::exec
