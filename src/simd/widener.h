// Internals of the widener, shared by widen.cpp (control flow), widen_values.cpp (element by element),
// widen_memory.cpp and widen_warp.cpp.
#pragma once

#include "analysis/liveness.h"
#include "analysis/uniformity.h"
#include "simd/lane_language.h"
#include "simd/warp_context.h"
#include "simd/widen.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include <memory>
#include <optional>

namespace tollgate::simd {

class Widener : public analysis::UniformityClient {
public:
  Widener(llvm::Function& scalar, const WidenOptions& options);
  WidenedFunction run();

private:
  using Value = llvm::Value;
  using Type = llvm::Type;
  using Block = llvm::BasicBlock;

  // One scalar block and what it became.
  struct Region {
    Block* scalar = nullptr;
    Block* body = nullptr;               // entered with `pending` holding the lanes
    llvm::AllocaInst* pending = nullptr; // i32: lanes waiting to run this block
    unsigned label = 0;                  // resume label, 0 if none
    llvm::BitVector waiting;             // blocks that may have lanes waiting when this one runs
    bool reached = false;
  };

  // --- analysis::UniformityClient -----------------------------------------------------------------------------------
  analysis::LaneResult result(const llvm::Instruction& call) const override;
  bool stops(const llvm::Instruction& inst) const override;
  bool can_part(const llvm::Instruction& inst) const override;
  bool parts(const llvm::Instruction& inst, const analysis::Uniformity& known) const override;
  bool entered_in_parts() const override { return !options_.is_kernel; }

  // --- control flow (widen.cpp) -------------------------------------------------------------------------------------
  void order_blocks();
  void find_waiting();
  void emit_entry();
  void emit_region(unsigned index);
  void emit_terminator(unsigned index);
  void emit_edge(unsigned from, Block* to, Value* lanes);
  void continue_with(unsigned from, const llvm::BitVector& candidates, int certain);
  void emit_warp_loop();
  void forget_between_warps();
  void end_warp(uint32_t label);
  void end_if_whole(uint32_t label);
  llvm::BitVector flow_out(unsigned index, unsigned target, const llvm::BitVector& waiting) const;
  void for_each_way(unsigned index, const llvm::BitVector& waiting,
                    llvm::function_ref<void(unsigned target, const llvm::BitVector& waiting)> fn) const;

  // --- values (widen_values.cpp) ------------------------------------------------------------------------------------
  bool uniform(Value* v) const { return uniformity_->is_uniform(v); }
  Value* scalar(Value* v); // the value of a uniform value
  Value* vec(Value* v);    // 32 lanes of any value
  Value* splat(Value* v);
  Type* wide(Type* t) const { return llvm::FixedVectorType::get(t, kLanes); }
  void define(llvm::Instruction* inst, Value* value); // its widened (or, if uniform, scalar) value
  void emit_instruction(llvm::Instruction* inst);
  Value* emit_elementwise(llvm::Instruction* inst, bool as_scalar);
  Value* emit_division(llvm::BinaryOperator* inst, bool as_scalar);
  Value* emit_intrinsic(llvm::CallInst* call, bool as_scalar);
  Value* emit_runtime_function(llvm::CallInst* call, bool as_scalar);
  llvm::AllocaInst* slot_of(Value* v, bool phi_input = false);
  bool is_rematerialised(const Value* v) const;
  int rematerialisation_cost(const Value* v) const;
  bool is_context_read(const Value* v) const;
  Value* rematerialise(llvm::CallInst* call);

  Value* mask_vector();               // the running lanes as <32 x i1>
  Value* to_mask(Value* lanes);       // i32 -> <32 x i1>
  Value* to_bits(Value* mask);        // <32 x i1> -> i32
  Value* lane_bits(Value* condition); // any i1 value as lane bits, of running lanes only

  // --- addresses in line (widen_affine.cpp) -------------------------------------------------------------------------
  // An integer that grows by a constant from lane to lane: lane k holds base + k * stride, wherever `ok` is true (null:
  // everywhere). Lets an access find its 32 addresses in line without computing them. In narrow blocks the lanes are in
  // as many lines as they are in rows (WidenOptions::row), and `base` is a vector with an element for each.
  struct Affine {
    Value* base = nullptr;
    int64_t stride = 0;
    Value* ok = nullptr;
  };
  struct AffineSlots {
    llvm::AllocaInst* base = nullptr;
    llvm::AllocaInst* ok = nullptr;
  };
  [[nodiscard]] unsigned rows() const { return kLanes / options_.row; }
  Type* each_row(Type* t) const { return rows() == 1 ? t : llvm::FixedVectorType::get(t, rows()); }
  Value* each_row(Value* v) { return rows() == 1 ? v : b_.CreateVectorSplat(rows(), v); }
  Value* row_of(Value* v, unsigned row) { return rows() == 1 ? v : b_.CreateExtractElement(v, uint64_t(row)); }
  Value* spread_rows(Value* v); // 32 lanes, each with the element of its row
  void find_strides();
  std::optional<int64_t> stride_of(const Value* v) const;
  std::optional<int64_t> compute_stride(const Value* v);
  std::optional<Affine> affine(Value* v);
  std::optional<Affine> compute_affine(llvm::Instruction* inst);
  AffineSlots& affine_slots(const Value* v, bool phi_input);
  void store_affine(const AffineSlots& slots, const std::optional<Affine>& a);
  Affine line_of(llvm::Instruction* inst, Value* vector);
  Value* both(Value* a, Value* b); // conjunction; null is true
  struct QuickCompare {
    Value* lanes = nullptr; // lane bits
    Value* ok = nullptr;    // null: always
  };
  QuickCompare quick_compare(llvm::ICmpInst* compare);
  Value* compare_in_line(Value* condition);
  bool is_deferred(const Value* v) const;

  // --- memory (widen_memory.cpp) ------------------------------------------------------------------------------------
  void emit_load(llvm::CallInst* call);
  void emit_store(llvm::CallInst* call);
  void observe(llvm::CallInst* call, Value* address, AccessDesc desc, Value* site, llvm::ArrayRef<Value*> stored = {});
  Value* shared_base(AccessDesc desc);
  Value* shared_offsets(Value* address);
  struct Known {
    Value *lives = nullptr, *base = nullptr, *room = nullptr;
  };
  [[nodiscard]] bool can_test_soundness(llvm::CallInst* call, AccessDesc desc) const;
  Known known_object(Value* site, uint64_t bytes);
  Value* are_rows_sound(llvm::ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site);
  Value* field(Value* of, size_t offset);
  Value* device_of_line(Value* first, AccessDesc desc);
  void note_access(llvm::ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site, Value* sound,
                   Block* done);
  void note_read(llvm::ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site, Value* whole,
                 Value* table, Block* done);
  void note_line(Value* first, bool load, Value* site, Value* whole, Value* table, Block* done);
  Value* are_sound(Value* device, AccessDesc desc, Value* site);
  std::vector<Value*> load_lanes(Value* address, AccessDesc desc, llvm::Type* element, unsigned count);
  void store_lanes(llvm::CallInst* call, Value* address, AccessDesc desc);
  Value* host_address(Value* address, AccessDesc desc, bool as_scalar);
  Value* contiguous(Value* address, uint64_t stride);
  // How an access may find its lanes in line: `first` is the host address of (virtual) lane 0, or of the first of each
  // row, `ok` whether the lanes that run follow it at `stride` bytes. `known` if that took no look at the 32 addresses:
  // it then holds for any set of running lanes.
  struct Line {
    llvm::SmallVector<Value*, 4> first;                                              // i64
    [[nodiscard]] unsigned lanes() const { return unsigned(kLanes / first.size()); } // in line
    Value* ok = nullptr;                                                             // i1, null: always
    int64_t stride = 0;
    bool known = false;
  };
  static bool has_masked_move(uint64_t bytes, unsigned count);
  bool out_of_line(Value* address, AccessDesc desc, uint64_t stride);
  Value* call_access(const char* what, Value* address, AccessDesc desc, uint64_t bytes, unsigned count, Value* data);
  std::vector<Value*> load_out_of_line(Value* address, AccessDesc desc, llvm::Type* element, unsigned count);
  Line find_line(Value* address, AccessDesc desc, uint64_t width, bool any_stride);
  void prefetch_next(const Line& line, AccessDesc desc, bool writes);
  Value* pointer_at(Value* first, int64_t offset);
  void store_masked(Value* first, AccessDesc desc, Value* mask, Value* value);
  Value* part(Value* lanes, unsigned index, unsigned count);
  Value* join(llvm::ArrayRef<Value*> parts);
  Value* is_whole(const Line& line);
  std::vector<Value*> load_line(const Line& line, llvm::Type* element, unsigned count, bool is_volatile);
  llvm::SmallVector<Value*, 4> load_masked(const Line& line, llvm::Type* element, Value* nobody);
  Value* interleave(const std::vector<Value*>& values);
  Value* spill(Value* vector); // its address in memory
  Value* scratch(Type* type);  // an alloca in the entry block

  // --- atomics (widen_atomic.cpp) -----------------------------------------------------------------------------------
  void emit_atomic(llvm::CallInst* call);
  Value* update_shared(AtomOp op, Value* address, AccessDesc desc, Value* operand, bool used);

  // --- undefined values (widen_undefined.cpp) -----------------------------------------------------------------------
  Value* are_written(Value* address, AccessDesc bits, llvm::Type* element, unsigned count);
  Value* is_line_written(const Line& line, llvm::Type* element, unsigned count);
  std::vector<Value*> written_bits(Value* address, AccessDesc bits, llvm::Type* element, unsigned count);
  void emit_undefined_load(llvm::CallInst* call);
  void emit_undefined_use(llvm::CallInst* call);

  // --- warp (widen_warp.cpp) ----------------------------------------------------------------------------------------
  bool emit_lane_call(llvm::CallInst* call, std::string_view op);
  void emit_stop(unsigned index, llvm::CallInst* stop);
  void save_live(Block* resume, Value* lanes, bool blend);
  void load_live(Block* resume);
  void find_resident();
  bool is_whole_stop(llvm::CallInst* barrier) const;
  bool blends(const Block* block) const;
  Value* frame_slot(llvm::Instruction* inst); // its address in the warp's frame
  void save(llvm::Instruction* inst, Value* lanes, bool blend);
  Value* load_saved(llvm::Instruction* inst);
  void emit_shfl(llvm::CallInst* call);
  void emit_vote(llvm::CallInst* call);
  void emit_helper(llvm::CallInst* call);
  void append_group(llvm::ArrayRef<Value*> fields);
  void emit_exit(Value* site);
  void emit_fence(llvm::CallInst* call);
  void emit_poll(llvm::CallInst* call);

  // --- fields of WarpContext and BlockContext
  Value* warp_field(size_t offset); // pointer
  Value* load_warp(Type* type, size_t offset);
  Value* load_block(Type* type, size_t offset);
  Value* call_runtime(llvm::StringRef name, Type* result, llvm::ArrayRef<Value*> args);
  void branch_likely(Value* condition, Block* likely, Block* unlikely);
  Value* i32(uint32_t v) { return b_.getInt32(v); }
  Value* i64(uint64_t v) { return b_.getInt64(v); }

  llvm::Function& scalar_;
  const WidenOptions& options_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  std::unique_ptr<analysis::Uniformity> uniformity_;
  std::unique_ptr<analysis::Liveness> liveness_;
  llvm::Function* step_ = nullptr;
  Block* entry_ = nullptr; // variables and nothing else
  struct WarpLoop {
    Block* header = nullptr;
    Block* end = nullptr;  // it stopped as a whole
    Block* left = nullptr; // it did not
    Value* label = nullptr;
    llvm::PHINode* result = nullptr;
  } warp_loop_;
  Value* warp_ = nullptr;
  Value* entry_mask_ = nullptr;

  std::vector<Region> regions_;
  llvm::DenseMap<const Block*, unsigned> index_;
  llvm::MapVector<Block*, unsigned> resume_labels_; // resume block -> label
  llvm::DenseMap<const Value*, llvm::AllocaInst*> slots_, phi_slots_;
  llvm::DenseMap<const Value*, uint32_t> frame_offset_;
  std::vector<WholeStop> whole_stops_;
  llvm::DenseSet<const Value*> resident_; // kept in the frame from definition on
  Value* frame_ = nullptr;
  uint32_t frame_bytes_ = 0;
  bool is_large_ = false; // code size counts more than the way taken by each access
  uint64_t local_bytes_ = 0;
  llvm::DenseMap<std::pair<Type*, unsigned>, llvm::AllocaInst*> scratch_;
  unsigned scratch_used_ = 0;
  std::vector<llvm::AllocaInst*> last_seen_; // where an access was the round before, 0 at first
  llvm::AllocaInst* budget_ = nullptr;       // spin budget
  llvm::AllocaInst* walk_budget_ = nullptr;

  // While a block is emitted:
  unsigned current_ = 0;
  Value* mask_ = nullptr; // running lanes, i32
  // What the running code has at hand. What one of two ways makes is not there behind them: `made_` is put back.
  struct Made {
    llvm::DenseMap<const Value*, Value*> scalars, vectors;
    llvm::DenseMap<const Value*, Affine> affine;
    Value* mask = nullptr; // mask_ as <32 x i1>
  };
  Made made_;
  llvm::DenseMap<const Value*, std::vector<Value*>> elements_; // of loads that give several
  llvm::DenseMap<const Value*, std::optional<int64_t>> strides_;
  llvm::DenseSet<const Value*> irregular_; // phis whose inputs do not agree
  llvm::DenseMap<const Value*, AffineSlots> affine_slots_, affine_phi_slots_;
  mutable llvm::DenseMap<const Value*, int> rematerialised_; // cost, or -1
};

} // namespace tollgate::simd
