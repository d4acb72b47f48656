// The lane language: what scalar IR may say about lanes, memory and the schedule. Lowering (lower/) writes calls to
// these functions; the widener (simd/widen*.cpp) is the only reader. docs/architecture.md describes each in a line.
//
// Names are "tg.<name>[.<type>]"; immediate arguments are i32 constants.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>
#include <string_view>

namespace tollgate::simd {

// Packs what a memory instruction says into one immediate; the observers get it back field by field.
struct AccessDesc {
  uint8_t kind = 0;          // observe::AccessKind
  uint8_t space = 0;         // observe::MemorySpace
  uint8_t order = 0;         // observe::Order
  uint8_t scope = 0;         // observe::SyncScope
  uint8_t bytes = 0;         // per lane, all vector elements together; 0 stands for 256
  bool compares = false;     // compare-and-swap; of a load: its value goes to those alone (simd/guesses.h)
  bool polls = false;        // a plain load whose value alone ends a loop (simd/polling.h)
  bool by_copy = false;      // by an asynchronous copy
  uint8_t element_bytes = 0; // store: of one of the vector elements; filled in by the widener
  bool written = false;      // of the bits that say what was written (undefined.h) instead of the bytes themselves
  bool observed = true;      // false: traffic the compiler invented (spilled parameters), no event
  bool sound = false;        // to the observers: tested already; in `kSoundBit` of the encoded description

  [[nodiscard]] AccessDesc of_written_bits() const {
    AccessDesc bits = *this;
    bits.written = true;
    bits.observed = false;
    bits.order = 0;
    return bits;
  }
  [[nodiscard]] uint32_t encode() const {
    return uint32_t(kind) | uint32_t(polls) << 2 | uint32_t(by_copy) << 3 | uint32_t(space) << 4 |
           uint32_t(order) << 8 | uint32_t(scope) << 12 | uint32_t(bytes) << 16 | uint32_t(observed) << 24 |
           uint32_t(compares) << 25 | uint32_t(element_bytes) << 26 | uint32_t(written) << 31 |
           uint32_t(sound) << kSoundBit;
  }
  static constexpr unsigned kSoundBit = 7;
  static AccessDesc decode(uint32_t v) {
    AccessDesc d;
    d.kind = v & 3;
    d.space = v >> 4 & 7;
    d.sound = (v >> kSoundBit & 1) != 0;
    d.order = v >> 8 & 15;
    d.scope = v >> 12 & 15;
    d.bytes = uint8_t(v >> 16);
    d.observed = (v >> 24 & 1) != 0;
    d.compares = (v >> 25 & 1) != 0;
    d.polls = (v >> 2 & 1) != 0;
    d.by_copy = (v >> 3 & 1) != 0;
    d.element_bytes = v >> 26 & 31;
    d.written = (v >> 31 & 1) != 0;
    return d;
  }
};

// Operations of tg.atom; the element type says the width.
enum class AtomOp : uint32_t {
  Add,
  MinS,
  MaxS,
  MinU,
  MaxU,
  Inc,
  Dec,
  Exch,
  Cas,
  And,
  Or,
  Xor,
  AddF32,
  AddF64,
  AddF16,
  AddBF16,
  AddF16x2,
  AddBF16x2,
  AddF32Ftz,
  MinF16,
  MaxF16,
  MinBF16,
  MaxBF16,
  MinF16x2,
  MaxF16x2,
  MinBF16x2,
  MaxBF16x2, // without NaN propagation
};
std::string_view atom_name(AtomOp op); // "add", "min_s": suffix of the runtime helper

// observe::MemorySpace and AccessKind as AccessDesc holds them; this layer does not see the observers.
constexpr uint8_t kSpaceGeneric = 0, kSpaceGlobal = 1, kSpaceShared = 2, kSpaceLocal = 3, kSpaceConst = 4,
                  kSpaceParam = 5;
constexpr uint8_t kKindLoad = 0, kKindStore = 1, kKindAtomic = 2;

enum class VoteMode : uint32_t { All, Any, Uni, Ballot };
enum class ShflMode : uint32_t { Up, Down, Bfly, Idx };

// Special registers of tg.sreg and tg.clock, as an immediate: ptx::SpecialReg's numeric value.

// Emits lane-language calls into scalar code.
class LaneLanguage {
public:
  LaneLanguage(llvm::IRBuilder<>& builder, llvm::Module& module) : b_(builder), m_(module) {}

  // --- values that depend on the thread only --------------------------------------------------------------------
  llvm::Value* sreg(uint32_t special, bool wide);             // i32, or i64 if wide
  llvm::Value* load_param(llvm::Type* type, uint32_t offset); // kernel parameter at a constant offset
  llvm::Value* param_base();                                  // i64 device address of the parameter block
  llvm::Value* symbol(uint32_t index);                        // i64 device address of a module symbol
  llvm::Value* shared_base();                                 // i64 device address of .shared offset 0
  llvm::Value* cluster_base();                                // i64 the same for the block of rank 0 of its cluster
  llvm::Value* local_base();                                  // i64 device address of this lane's frame of local memory

  // --- memory: `address` is i64: a generic device address, or an offset for AccessDesc space Shared ---------------
  // count 1: the element; more: an array of elements
  std::vector<llvm::Value*> load(llvm::Type* element, unsigned count, llvm::Value* address, AccessDesc desc,
                                 uint32_t site);
  void store(llvm::ArrayRef<llvm::Value*> values, llvm::Value* address, AccessDesc desc, uint32_t site);
  llvm::Value* atom(AtomOp op, llvm::Value* address, llvm::Value* a, llvm::Value* b, AccessDesc desc, uint32_t site);
  void fence(uint32_t order, uint32_t scope, uint32_t site);

  // --- stops ----------------------------------------------------------------------------------------------------
  void barrier(uint32_t op, llvm::Value* id, llvm::Value* count, llvm::Value* predicate, uint32_t site);
  llvm::Value* barrier_result(); // i32, right after a reducing barrier
  // All lanes of mask that have not exited have arrived. bar.warp.sync also orders memory among them; the .sync forms
  // of shuffles and votes do not (PTX ISA, Memory Consistency Model: neither is a synchronising operation).
  void warp_sync(llvm::Value* mask, bool orders_memory, uint32_t site);
  void exit(uint32_t site);
  void closing_brace(); // the lane ran past the kernel's closing brace

  // --- warp operations: among the lanes executing together now; call warp_sync before the .sync forms --------------
  llvm::Value* shfl(ShflMode mode, llvm::Value* value, llvm::Value* b, llvm::Value* c, llvm::Value* mask,
                    uint32_t site);
  llvm::Value* shfl_in_range(ShflMode mode, llvm::Value* b, llvm::Value* c);   // the predicate p of d|p
  llvm::Value* vote(VoteMode mode, llvm::Value* predicate, llvm::Value* mask); // Ballot: i32; else i1
  llvm::Value* active_mask();

  // Anything else that needs the warp: a helper of exec/ by name, `T helper(lane args...)`, called with all 32 lanes.
  // `result` may be void.
  llvm::Value* helper(std::string_view name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args);

  // undefined.h: what nobody wrote of the bits of `count` elements at `address`, as far as it counts: a struct of
  // their bits and, for each element, the site + 1 if there are any, else 0. `origin`: such a number for each lane.
  llvm::Value* undefined_load(llvm::Type* element, unsigned count, llvm::Type* origin, llvm::Value* address,
                              AccessDesc desc, uint32_t site);
  void undefined_use(llvm::Value* origin, uint32_t use, llvm::Value* site);

  // A function that is not inlined: index, or an i64 function address for an indirect call (index = ~0u).
  void call(uint32_t function, llvm::Value* target, llvm::ArrayRef<llvm::Value*> args, uint32_t site);
  llvm::Value* call_arg(uint32_t index); // in the callee: argument `index` as i64

  llvm::CallInst* emit(std::string_view name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, unsigned effect);

private:
  llvm::IRBuilder<>& b_;
  llvm::Module& m_;
};

// "tg.ld.i32" -> "ld"; empty if the call is not lane language.
std::string_view lane_op(const llvm::Instruction& inst);

// An operand that is an immediate.
uint32_t immediate(const llvm::CallInst& call, unsigned index);

// What a tg.ld, tg.st or tg.atom says of its access; the operand that says it, and another in its place.
unsigned access_operand(const llvm::CallInst& call);
AccessDesc access_of(const llvm::CallInst& call);
void set_access(llvm::CallInst& call, AccessDesc desc);

} // namespace tollgate::simd
