// The widener: a scalar function in the lane language becomes a step function over 32 lanes (warp_context.h).
//
// Control flow is linearised: the blocks stand in block order, each with the mask of the lanes that wait to run it,
// and the lowest block that has lanes runs next. Uniform branches stay branches. See docs/architecture.md.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tollgate::simd {

// The hooks for observers can be compiled out: a test does, to prove that code made without observers does not depend
// on the instrumenting code being there (tests/unit/jit).
#ifdef TOLLGATE_WITHOUT_HOOKS
inline constexpr bool kHooks = false;
#else
inline constexpr bool kHooks = true;
#endif

struct WidenOptions {
  uint64_t bias = 0;              // host address = device address + bias (exec/address.h)
  uint64_t written_bias = 0;      // the same for the bits that say what was written
  bool observe_memory = false;    // hooks for MemoryEvents
  bool note_accesses = false;     // with them: one observer wants them all, and has tables (observe/shortcuts.h)
  bool observe_barriers = false;  // hooks for exits
  bool mask_registers = false;    // the processor has AVX-512's registers of one bit a lane
  bool is_kernel = true;          // false: a function reached by calls that were not inlined
  bool observe_sync = false;      // hooks for fences and warp barriers
  bool observe_undefined = false; // follow what was loaded and never written (undefined.h)
  // Lanes from a multiple of `row` on, as many as that, have x counting up and the same y and z: a power of two that
  // divides the block's width. 32: not known, and tested when running.
  unsigned row = 32;
  unsigned spin_budget = 64; // iterations before lanes in a waiting loop let others run
  unsigned walk_budget = 8;  // iterations before a warp that walks memory lets its neighbours catch up
};

// A barrier of the whole block at which a step that came as a whole may stop by returning its resume label, instead of
// leaving a Group: what the Group would say besides.
struct WholeStop {
  uint32_t label = 0, site = 0, op = 0; // op: BarrierOp
};

struct WidenedFunction {
  std::string name;         // of the step function
  uint32_t frame_bytes = 0; // values that live across stops, for 32 lanes
  uint64_t local_bytes = 0; // local memory of one lane
  std::vector<WholeStop> whole_stops;
  bool has_stops = false; // false: one call of step() runs its lanes to their end
};

// Reads `scalar` (already prepared, prepare.h) and adds the step function to the same module; `scalar` is left empty.
WidenedFunction widen(llvm::Function& scalar, const WidenOptions& options);

} // namespace tollgate::simd
