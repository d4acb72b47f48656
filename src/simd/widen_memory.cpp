// Loads and stores of a warp. Three cases: one address for all lanes (known when compiling), consecutive
// addresses with all lanes running (tested when running), and anything else, which a helper of exec/ does lane by lane.
#include "simd/widener.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <cstddef>

namespace tollgate::simd {

using namespace llvm;

namespace {

// Updates of 32-bit integers, which every device has an instruction for in all memory: AtomicEvents are about others.
bool is_native_atomic(const CallInst& call) {
  return lane_op(call) == "atom" && call.getType()->isIntegerTy(32) && AtomOp(immediate(call, 1)) <= AtomOp::Xor &&
         AtomOp(immediate(call, 1)) != AtomOp::Cas;
}

} // namespace

Value* Widener::field(Value* of, size_t offset) { return b_.CreateConstGEP1_64(b_.getInt8Ty(), of, offset); }
Value* Widener::warp_field(size_t offset) { return field(warp_, offset); }
Value* Widener::load_warp(Type* type, size_t offset) { return b_.CreateLoad(type, warp_field(offset)); }
Value* Widener::load_block(Type* type, size_t offset) {
  Value* block = load_warp(PointerType::get(context_, 0), offsetof(WarpContext, block));
  return b_.CreateLoad(type, field(block, offset));
}

// Where offset 0 of shared memory is for the host.
Value* Widener::shared_base(AccessDesc desc) {
  Value* base = load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_host));
  return desc.written ? b_.CreateAdd(base, i64(options_.written_bias - options_.bias)) : base;
}

// Shared accesses name an offset into the block's slab, 32 bits wide; all others a device address.
Value* Widener::host_address(Value* address, AccessDesc desc, bool as_scalar) {
  if (desc.space == kSpaceShared) {
    Value* base = shared_base(desc);
    Value* mask = i64(0xffffffffu);
    if (as_scalar) return b_.CreateAdd(base, b_.CreateAnd(address, mask));
    return b_.CreateAdd(splat(base), b_.CreateAnd(address, splat(mask)));
  }
  Value* bias = i64(desc.written ? options_.written_bias : options_.bias);
  return b_.CreateAdd(address, as_scalar ? bias : splat(bias));
}

// Whether the addresses of all 32 lanes follow each other at `stride` bytes: i1.
Value* Widener::contiguous(Value* address, uint64_t stride) {
  SmallVector<Constant*, kLanes> steps;
  for (unsigned i = 0; i < kLanes; ++i) steps.push_back(b_.getInt64(i * stride));
  Value* first = b_.CreateExtractElement(address, uint64_t(0));
  Value* expected = b_.CreateAdd(splat(first), ConstantVector::get(steps));
  Value* difference = b_.CreateOrReduce(b_.CreateXor(address, expected));
  return b_.CreateICmpEQ(difference, i64(0));
}

// Whether a test in the code may stand for the observers: they ask for nothing but accesses that are not sound
// (BlockContext::quiet), and what makes an access sound is soon told.
bool Widener::can_test_soundness(CallInst* call, AccessDesc desc) const {
  return !is_large_ && (desc.kind != kKindAtomic || is_native_atomic(*call)) && desc.bytes != 0 &&
         isPowerOf2_32(desc.bytes);
}

// The object that the access met last: `lives` is i1, for as long as it is one; `room` behind the first byte of an
// access of `bytes`.
Widener::Known Widener::known_object(Value* site, uint64_t bytes) {
  Type* i64_type = b_.getInt64Ty();
  const uint64_t place = cast<ConstantInt>(site)->getZExtValue() % kKnownObjects;
  const size_t at = offsetof(BlockContext, known) + place * sizeof(KnownObject);
  Known known;
  known.base = load_block(i64_type, at + offsetof(KnownObject, base));
  known.room =
      b_.CreateSub(b_.CreateSub(load_block(i64_type, at + offsetof(KnownObject, end)), known.base), i64(bytes));
  Value* now = b_.CreateLoad(i64_type, load_block(PointerType::get(context_, 0), offsetof(BlockContext, generation)));
  known.lives = b_.CreateICmpEQ(load_block(i64_type, at + offsetof(KnownObject, generation)), now);
  known.lives = b_.CreateAnd(known.lives, b_.CreateICmpSGE(known.room, i64(0)));
  return known;
}

// i1: the lanes of each row from its first on, whether they run or not, are aligned and lie in the object that the
// access met last. Null where it is not worth the code.
Value* Widener::are_rows_sound(ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site) {
  const auto bytes = uint64_t(desc.bytes);
  if (stride > 4096 || stride % bytes != 0) return nullptr;
  const Known known = known_object(site, stride * (options_.row - 1) + bytes);
  Value *sound = known.lives, *bits = nullptr;
  for (Value* row : first) {
    bits = bits ? b_.CreateOr(bits, row) : row;
    sound = b_.CreateAnd(sound, b_.CreateICmpULE(b_.CreateSub(row, known.base), known.room));
  }
  return b_.CreateAnd(sound, b_.CreateICmpEQ(b_.CreateAnd(bits, i64(bytes - 1)), i64(0)));
}

// The same for any addresses, of lanes that all run.
Value* Widener::are_sound(Value* device, AccessDesc desc, Value* site) {
  const auto bytes = uint64_t(desc.bytes);
  const Known known = known_object(site, bytes);
  Value* all = b_.CreateICmpEQ(mask_, i32(kAllLanes));
  // A sign in any of these numbers: before the object, behind it.
  Value* offset = b_.CreateSub(device, splat(known.base));
  Value* signs = b_.CreateOrReduce(b_.CreateOr(offset, b_.CreateSub(splat(known.room), offset)));
  Value* inside = b_.CreateICmpSGE(signs, i64(0));
  Value* aligned = b_.CreateICmpEQ(b_.CreateAnd(b_.CreateOrReduce(device), i64(bytes - 1)), i64(0));
  return b_.CreateAnd(b_.CreateAnd(known.lives, all), b_.CreateAnd(inside, aligned));
}

// Where a line of shared offsets or of addresses begins for the device.
Value* Widener::device_of_line(Value* first, AccessDesc desc) {
  if (desc.space != kSpaceShared) return first;
  Value* offset = b_.CreateSExt(b_.CreateTrunc(first, b_.getInt32Ty()), b_.getInt64Ty());
  return b_.CreateAdd(load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_device)), offset);
}

// Plain accesses in rows that the one observer lets the code note by itself (observe/shortcuts.h): to `done`, or on
// from here.
void Widener::note_access(ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site, Value* sound,
                          Block* done) {
  const bool load = desc.kind == kKindLoad;
  if (!options_.note_accesses) return;
  if ((!load && desc.kind != kKindStore) || desc.order != 0 || desc.compares || desc.polls || desc.by_copy) return;
  Value* whole = b_.CreateAnd(sound, b_.CreateICmpEQ(mask_, i32(kAllLanes)));
  Value* table = load_block(PointerType::get(context_, 0), offsetof(BlockContext, shortcuts));
  if (load && desc.space == kSpaceShared && desc.bytes <= 16 && first.size() <= observe::Shortcuts::most_rows)
    note_read(first, stride, desc, site, whole, table, done);
  if (desc.space == kSpaceGlobal && desc.bytes == 4 && stride == 4 && first.size() == 1)
    note_line(first[0], load, site, whole, table, done);
}

void Widener::note_read(ArrayRef<Value*> first, uint64_t stride, AccessDesc desc, Value* site, Value* whole,
                        Value* table, Block* done) {
  using observe::Shortcuts;
  Type *i64_type = b_.getInt64Ty(), *pointer = PointerType::get(context_, 0);
  Value* at = b_.CreateLoad(pointer, field(table, offsetof(Shortcuts, reads_at)));
  Value* end = b_.CreateLoad(pointer, field(table, offsetof(Shortcuts, reads_end)));
  Block* note = Block::Create(context_, "note", step_);
  Block* tell = Block::Create(context_, "tell.read", step_);
  branch_likely(b_.CreateAnd(whole, b_.CreateICmpULT(at, end)), note, tell);
  b_.SetInsertPoint(note);
  Value* warp = b_.CreateZExt(load_warp(b_.getInt32Ty(), offsetof(WarpContext, warp)), i64_type);
  SmallVector<Value*, Shortcuts::read_words> words{
      b_.CreateOr(b_.CreateShl(b_.CreateZExt(site, i64_type), i64(32)), i64(desc.bytes)),
      b_.CreateOr(warp, i64(uint64_t(first.size()) << Shortcuts::rows_at | stride << Shortcuts::stride_at))};
  words.append(first.begin(), first.end());
  for (size_t i = 0; i < words.size(); ++i) b_.CreateStore(words[i], b_.CreateConstGEP1_64(i64_type, at, i));
  b_.CreateStore(b_.CreateConstGEP1_64(i64_type, at, words.size()), field(table, offsetof(Shortcuts, reads_at)));
  b_.CreateBr(done);
  b_.SetInsertPoint(tell);
}

void Widener::note_line(Value* first, bool load, Value* site, Value* whole, Value* table, Block* done) {
  using observe::LineWord;
  using observe::Shortcuts;
  using observe::SiteRecord;
  Type *i32_type = b_.getInt32Ty(), *i64_type = b_.getInt64Ty(), *pointer = PointerType::get(context_, 0);
  Value* sites = b_.CreateLoad(pointer, field(table, offsetof(Shortcuts, sites)));
  const uint64_t place = cast<ConstantInt>(site)->getZExtValue() % Shortcuts::site_count;
  Value* own = field(sites, place * sizeof(SiteRecord));
  Value* now =
      b_.CreateLoad(pointer, field(table, load ? offsetof(Shortcuts, load_time) : offsetof(Shortcuts, store_time)));
  Value* present =
      b_.CreateICmpEQ(b_.CreateLoad(i32_type, field(own, offsetof(SiteRecord, time))), b_.CreateLoad(i32_type, now));
  Value* known = b_.CreateICmpEQ(b_.CreateLoad(i32_type, field(own, offsetof(SiteRecord, site))), site);
  Value* aligned = b_.CreateICmpEQ(b_.CreateAnd(first, i64(4 * kLanes - 1)), i64(0));
  Block* look = Block::Create(context_, "line", step_);
  Block* note = Block::Create(context_, "line.note", step_);
  Block* tell = Block::Create(context_, "tell.line", step_);
  branch_likely(b_.CreateAnd(b_.CreateAnd(whole, aligned), b_.CreateAnd(present, known)), look, tell);

  b_.SetInsertPoint(look);
  Value* line = b_.CreateIntToPtr(
      b_.CreateAdd(b_.CreateLoad(i64_type, field(table, offsetof(Shortcuts, lines))), b_.CreateLShr(first, 4)),
      pointer);
  Value* word = b_.CreateLoad(i64_type, line);
  Value* warp = load_warp(i32_type, offsetof(WarpContext, warp));
  Value* id = b_.CreateLoad(i32_type, field(own, offsetof(SiteRecord, id)));
  Value* fresh =
      b_.CreateOr(b_.CreateZExt(id, i64_type), b_.CreateShl(b_.CreateZExt(warp, i64_type), LineWord::warp_at));
  fresh = b_.CreateOr(fresh, i64(uint64_t{load} << LineWord::load_at | uint64_t{15} << LineWord::bytes_at |
                                 uint64_t{kLanes} << LineWord::granules_at));
  Value* last = b_.CreateTrunc(word, i32_type);
  auto number = [&](size_t offset) { return b_.CreateLoad(i32_type, field(table, offset)); };
  Value* empty = b_.CreateICmpULT(last, number(offsetof(Shortcuts, first_record)));
  // A load leaves its own store alone: with the bit of loads among those that must not differ.
  Value* differ =
      b_.CreateAnd(b_.CreateXor(word, fresh), i64(LineWord::place | (load ? uint64_t{1} << LineWord::load_at : 0)));
  Value* again =
      b_.CreateAnd(b_.CreateICmpEQ(differ, i64(0)), b_.CreateICmpUGE(last, number(offsetof(Shortcuts, own_records))));
  branch_likely(b_.CreateOr(empty, again), note, tell);

  b_.SetInsertPoint(note);
  b_.CreateStore(fresh, line);
  Value* warps = field(own, offsetof(SiteRecord, warps));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(i32_type, warps), b_.CreateShl(i32(1), b_.CreateAnd(warp, i32(31)))), warps);
  b_.CreateBr(done);
  b_.SetInsertPoint(tell);
}

// Tells the observers, with a line instead of 32 addresses where the compiler knows of one.
void Widener::observe(CallInst* call, Value* address, AccessDesc desc, Value* site, ArrayRef<Value*> stored) {
  if constexpr (!kHooks) return;
  if (!options_.observe_memory || !desc.observed) return;
  if (!stored.empty()) desc.element_bytes = uint8_t(stored[0]->getType()->getIntegerBitWidth() / 8);
  SmallVector<Value*, 4> lanes;
  for (Value* v : stored) lanes.push_back(vec(v));
  auto spill_values = [&]() -> Value* {
    if (lanes.empty()) return ConstantPointerNull::get(PointerType::get(context_, 0));
    Type* all = ArrayType::get(lanes[0]->getType(), lanes.size());
    Value* at = scratch(all);
    for (unsigned i = 0; i < lanes.size(); ++i) b_.CreateStore(lanes[i], b_.CreateConstGEP2_64(all, at, 0, i));
    return at;
  };
  Type* i64_type = b_.getInt64Ty();
  Value* what = b_.CreateOr(b_.CreateShl(b_.CreateZExt(site, i64_type), i64(32)), i64(desc.encode()));
  const bool shared = desc.space == kSpaceShared, testable = can_test_soundness(call, desc);
  auto unless = [&](Value* sound, ArrayRef<Value*> first, uint64_t stride, auto tell) {
    if (sound == nullptr) return tell(what);
    Block* call = Block::Create(context_, "tell", step_);
    Block* done = Block::Create(context_, "sound", step_);
    if (!first.empty()) note_access(first, stride, desc, site, sound, done);
    Value* quiet = b_.CreateICmpNE(load_block(b_.getInt32Ty(), offsetof(BlockContext, quiet)), i32(0));
    branch_likely(b_.CreateAnd(sound, quiet), done, call);
    b_.SetInsertPoint(call);
    tell(b_.CreateOr(what, b_.CreateShl(b_.CreateZExt(sound, i64_type), i64(AccessDesc::kSoundBit))));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  };
  auto tell_line = [&](Value* first, uint64_t stride) {
    first = device_of_line(first, desc);
    unless(testable ? are_rows_sound(first, stride, desc, site) : nullptr, first, stride, [&](Value* told) {
      call_runtime("tgh_observe_line", b_.getVoidTy(), {warp_, mask_, first, i64(stride), told, spill_values()});
    });
  };
  auto tell_each = [&] {
    Value* device = vec(address);
    if (shared) {
      Value* base = load_block(i64_type, offsetof(BlockContext, shared_device));
      device = b_.CreateAdd(splat(base), b_.CreateAnd(device, splat(i64(0xffffffffu))));
    }
    unless(testable ? are_sound(device, desc, site) : nullptr, {}, 0, [&](Value* told) {
      call_runtime("tgh_observe_each", b_.getVoidTy(), {warp_, mask_, spill(device), told, spill_values()});
    });
  };
  auto tell_rows = [&](const Affine& line) {
    const auto stride = uint64_t(line.stride);
    SmallVector<Value*, 4> first;
    for (unsigned row = 0; row < rows(); ++row) first.push_back(device_of_line(row_of(line.base, row), desc));
    unless(testable ? are_rows_sound(first, stride, desc, site) : nullptr, first, stride, [&](Value* told) {
      Type* all = ArrayType::get(i64_type, rows());
      Value* firsts = scratch(all);
      for (unsigned row = 0; row < rows(); ++row)
        b_.CreateStore(first[row], b_.CreateConstGEP2_64(all, firsts, 0, row));
      call_runtime("tgh_observe_rows", b_.getVoidTy(),
                   {warp_, mask_, firsts, i64(rows()), i64(stride), told, spill_values()});
    });
  };
  auto tell_known = [&](const Affine& line) {
    return rows() == 1 ? tell_line(line.base, uint64_t(line.stride)) : tell_rows(line);
  };
  std::optional<Affine> line = affine(address);
  if (!line) {
    tell_each();
  } else if (!line->ok) {
    tell_known(*line);
  } else {
    Block* known = Block::Create(context_, "tell.line", step_);
    Block* unknown = Block::Create(context_, "tell.lanes", step_);
    Block* told = Block::Create(context_, "told", step_);
    branch_likely(line->ok, known, unknown);
    const Made before = made_;
    b_.SetInsertPoint(known);
    tell_known(*line);
    b_.CreateBr(told);
    b_.SetInsertPoint(unknown);
    tell_each();
    b_.CreateBr(told);
    b_.SetInsertPoint(told);
    made_ = before;
  }
  scratch_used_ = 0;
}

// Each lane accesses `width` bytes; `any_stride`: they may also lie at another constant distance.
Widener::Line Widener::find_line(Value* address, AccessDesc desc, uint64_t width, bool any_stride) {
  Line line;
  auto a = affine(address);
  if (a && (a->stride == int64_t(width) || any_stride)) {
    line.stride = a->stride;
    line.ok = a->ok;
    line.known = true;
    for (unsigned row = 0; row < rows(); ++row) {
      Value* first = row_of(a->base, row);
      if (desc.space == kSpaceShared && line.stride == int64_t(width)) {
        // Lane 0 may not run, and its offset be negative: in shared memory offsets are 32 bits, here with their sign.
        Value* offset = b_.CreateSExt(b_.CreateTrunc(first, b_.getInt32Ty()), b_.getInt64Ty());
        line.first.push_back(b_.CreateAdd(shared_base(desc), offset));
      } else {
        line.first.push_back(host_address(first, desc, true));
      }
    }
    return line;
  }
  Value* host = host_address(vec(address), desc, false);
  line.stride = int64_t(width);
  line.first = {b_.CreateExtractElement(host, uint64_t(0))};
  line.ok = contiguous(host, width);
  return line;
}

Value* Widener::pointer_at(Value* first, int64_t offset) {
  return b_.CreateIntToPtr(b_.CreateAdd(first, i64(uint64_t(offset))), PointerType::get(context_, 0));
}

// Of a vector of all lanes, with one or more elements a lane: the one of `count` equal parts.
Value* Widener::part(Value* lanes, unsigned index, unsigned count) {
  if (count == 1) return lanes;
  const unsigned size = cast<FixedVectorType>(lanes->getType())->getNumElements() / count;
  SmallVector<int, kLanes> picks;
  for (unsigned i = 0; i < size; ++i) picks.push_back(int(index * size + i));
  return b_.CreateShuffleVector(lanes, picks);
}

// The opposite. A power of two of parts.
Value* Widener::join(ArrayRef<Value*> parts) {
  if (parts.size() == 1) return parts[0];
  const size_t half = parts.size() / 2;
  Value* first = join(parts.take_front(half));
  SmallVector<int, 2 * kLanes> all;
  for (unsigned i = 0; i < 2 * cast<FixedVectorType>(first->getType())->getNumElements(); ++i) all.push_back(int(i));
  return b_.CreateShuffleVector(first, join(parts.drop_front(half)), all);
}

// i1: whether a line may be read as a whole. Lanes at one address need not all run, but one has to.
Value* Widener::is_whole(const Line& line) {
  Value* full = line.stride == 0 && line.first.size() == 1 ? b_.getTrue() : b_.CreateICmpEQ(mask_, i32(kAllLanes));
  return both(full, line.ok);
}

// The elements of 32 lanes in line: one vector for each of `count`.
std::vector<Value*> Widener::load_line(const Line& line, Type* element, unsigned count, bool is_volatile) {
  const auto bytes = int64_t(element->getIntegerBitWidth() / 8);
  auto load = [&](Type* type, Value* first, int64_t offset) {
    return b_.CreateAlignedLoad(type, pointer_at(first, offset), Align(1), is_volatile);
  };
  std::vector<Value*> values;
  SmallVector<Value*, 4> parts;
  if (line.stride == 0) {
    for (unsigned i = 0; i < count; ++i) {
      parts.clear();
      for (Value* first : line.first)
        parts.push_back(b_.CreateVectorSplat(line.lanes(), load(element, first, i * bytes)));
      values.push_back(join(parts));
    }
  } else if (line.stride != bytes * count) {
    Value* all = PoisonValue::get(wide(element));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Value* one = load(element, line.first[lane / line.lanes()], lane % line.lanes() * line.stride);
      all = b_.CreateInsertElement(all, one, uint64_t(lane));
    }
    values.push_back(all);
  } else {
    Type* whole = FixedVectorType::get(element, line.lanes() * count);
    for (Value* first : line.first) parts.push_back(load(whole, first, 0));
    Value* loaded = join(parts);
    if (count == 1) return {loaded};
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<int, kLanes> picks;
      for (unsigned lane = 0; lane < kLanes; ++lane) picks.push_back(int(lane * count + i));
      values.push_back(b_.CreateShuffleVector(loaded, picks));
    }
  }
  return values;
}

// The elements of those lanes in line that run, a vector for each row; of the others `nobody`, or anything.
SmallVector<Value*, 4> Widener::load_masked(const Line& line, Type* element, Value* nobody) {
  const auto n = unsigned(line.first.size());
  SmallVector<Value*, 4> rows;
  for (unsigned i = 0; i < n; ++i)
    rows.push_back(b_.CreateMaskedLoad(FixedVectorType::get(element, line.lanes()), pointer_at(line.first[i], 0),
                                       Align(1), part(to_mask(mask_), i, n), nobody));
  return rows;
}

// In a large function an access whose addresses are not known to be in line is a call: looking at them is a hundred
// instructions each time, and library code has hundreds of accesses. Written bits are not worth the look at all.
bool Widener::out_of_line(Value* address, AccessDesc desc, uint64_t stride) {
  if (desc.order != 0 || !(is_large_ || desc.written)) return false;
  auto s = stride_of(address);
  return !s || (is_large_ && uint64_t(*s) != stride);
}

// 32 offsets into shared memory, 32 bits each.
Value* Widener::shared_offsets(Value* address) {
  auto* widened = dyn_cast<ZExtInst>(address);
  // The operand is at hand only in the extension's own block.
  const bool narrow =
      widened && widened->getSrcTy()->isIntegerTy(32) && widened->getParent() == regions_[current_].scalar;
  return narrow ? vec(widened->getOperand(0)) : b_.CreateTrunc(vec(address), wide(b_.getInt32Ty()));
}

// In a loop: asks for the memory of a few rounds later, if addresses go on as they did. A warp of a grid-stride loop
// jumps by megabytes each round, which the processor's own prefetching does not follow, and all its lines share a few
// sets of the caches. Any address may be asked for.
void Widener::prefetch_next(const Line& line, AccessDesc desc, bool writes) {
  constexpr unsigned kRounds = 4;
  if (is_large_ || desc.written || !line.known || line.first.size() != 1 ||
      (desc.space != kSpaceGlobal && desc.space != kSpaceGeneric))
    return;
  if (loops_.getLoopFor(regions_[current_].scalar) == nullptr) return;
  IRBuilder<> at_entry(entry_, entry_->begin());
  AllocaInst* last = at_entry.CreateAlloca(b_.getInt64Ty());
  last_seen_.push_back(last);
  Value* before = b_.CreateLoad(b_.getInt64Ty(), last);
  Value* step = b_.CreateSelect(b_.CreateICmpEQ(before, i64(0)), i64(0), b_.CreateSub(line.first[0], before));
  b_.CreateStore(line.first[0], last);
  Value* ahead = b_.CreateAdd(line.first[0], b_.CreateMul(step, i64(kRounds)));
  Function* prefetch = Intrinsic::getDeclaration(&module_, Intrinsic::prefetch, {PointerType::get(context_, 0)});
  b_.CreateCall(prefetch, {b_.CreateIntToPtr(ahead, PointerType::get(context_, 0)), i32(writes), i32(3), i32(1)});
}

// tgh_load_any_4x1(lanes, addresses, data), tgh_load_shared_4x1(lanes, base, offsets, data); the same for store, and
// for written, whose result is 1 if all bits are ones and `data` was left alone (widen_undefined.cpp).
Value* Widener::call_access(const char* what, Value* address, AccessDesc desc, uint64_t bytes, unsigned count,
                            Value* data) {
  const std::string size = std::to_string(bytes) + "x" + std::to_string(count);
  Type* result = std::string_view(what) == "written" ? b_.getInt32Ty() : b_.getVoidTy();
  Value* said = nullptr;
  if (desc.space == kSpaceShared) {
    Value* base = shared_base(desc);
    said = call_runtime(std::string("tgh_") + what + "_shared_" + size, result,
                        {mask_, base, spill(shared_offsets(address)), data});
  } else {
    Value* addresses = spill(host_address(vec(address), desc, false));
    said = call_runtime(std::string("tgh_") + what + "_any_" + size, result, {mask_, addresses, data});
  }
  scratch_used_ = 0;
  return said;
}

std::vector<Value*> Widener::load_out_of_line(Value* address, AccessDesc desc, Type* element, unsigned count) {
  Type* out_type = ArrayType::get(wide(element), count);
  Value* out = scratch(out_type);
  call_access("load", address, desc, element->getIntegerBitWidth() / 8, count, out);
  std::vector<Value*> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(b_.CreateLoad(wide(element), b_.CreateConstGEP2_64(out_type, out, 0, i)));
  return values;
}

// Whether 32 lanes of this element can be moved under a mask by one instruction each 32 bytes.
bool Widener::has_masked_move(uint64_t bytes, unsigned count) { return count == 1 && (bytes == 4 || bytes == 8); }
// Whether 32 moves of one element each are worth their place in the code.
static bool can_take_strides(uint64_t bytes, unsigned count) { return count == 1 && (bytes == 4 || bytes == 8); }

void Widener::emit_load(CallInst* call) {
  Value* address = call->getArgOperand(0);
  AccessDesc desc = access_of(*call);
  Value* site = call->getArgOperand(2);
  auto* array = dyn_cast<ArrayType>(call->getType());
  Type* element = array ? array->getElementType() : call->getType();
  unsigned count = array ? unsigned(array->getNumElements()) : 1;
  observe(call, address, desc, site);
  std::vector<Value*> values = load_lanes(address, desc, element, count);
  if (count == 1)
    define(call, values[0]);
  else
    elements_[call] = values;
}

// One value for each of `count` elements; a scalar if the address is uniform.
std::vector<Value*> Widener::load_lanes(Value* address, AccessDesc desc, Type* element, unsigned count) {
  uint64_t bytes = element->getIntegerBitWidth() / 8;
  bool is_volatile = desc.order != 0;
  std::vector<Value*> values;
  if (uniform(address)) {
    Value* host = host_address(scalar(address), desc, true);
    for (unsigned i = 0; i < count; ++i) {
      Value* p = b_.CreateIntToPtr(b_.CreateAdd(host, i64(i * bytes)), PointerType::get(context_, 0));
      values.push_back(b_.CreateAlignedLoad(element, p, Align(1), is_volatile));
    }
  } else if (Type* out_type = ArrayType::get(wide(element), count); out_of_line(address, desc, bytes * count)) {
    values = load_out_of_line(address, desc, element, count);
  } else {
    const bool any_stride = stride_of(address) == 0 || can_take_strides(bytes, count);
    const Line line = find_line(address, desc, bytes * count, any_stride);
    const bool contiguous = line.stride == int64_t(bytes * count);
    if (contiguous) prefetch_next(line, desc, false);
    Block* done = Block::Create(context_, "load.done", step_);
    std::vector<std::pair<Block*, std::vector<Value*>>> ways;

    Block* fast = Block::Create(context_, "load.line", step_);
    Block* rest = Block::Create(context_, "load.rest", step_);
    branch_likely(is_whole(line), fast, rest);
    const Made before = made_;

    b_.SetInsertPoint(fast);
    const std::vector<Value*> from_line = load_line(line, element, count, is_volatile);
    b_.CreateBr(done);
    ways.emplace_back(fast, from_line);

    b_.SetInsertPoint(rest);
    if (line.known && contiguous && has_masked_move(bytes, count) && !is_volatile) {
      Block* masked = Block::Create(context_, "load.masked", step_);
      Block* slow = Block::Create(context_, "load.lanes", step_);
      branch_likely(line.ok ? line.ok : b_.getTrue(), masked, slow);
      b_.SetInsertPoint(masked);
      Value* v = join(load_masked(line, element, nullptr));
      b_.CreateBr(done);
      ways.emplace_back(masked, std::vector<Value*>{v});
      b_.SetInsertPoint(slow);
    }
    Value* out = scratch(out_type);
    Value* addresses = spill(host_address(vec(address), desc, false));
    call_runtime("tgh_load_" + std::to_string(bytes) + "x" + std::to_string(count), b_.getVoidTy(),
                 {mask_, addresses, out});
    scratch_used_ = 0;
    std::vector<Value*> from_lanes;
    for (unsigned i = 0; i < count; ++i)
      from_lanes.push_back(b_.CreateLoad(wide(element), b_.CreateConstGEP2_64(out_type, out, 0, i)));
    ways.emplace_back(b_.GetInsertBlock(), from_lanes);
    b_.CreateBr(done);

    b_.SetInsertPoint(done);
    made_ = before;
    for (unsigned i = 0; i < count; ++i) {
      PHINode* phi = b_.CreatePHI(wide(element), unsigned(ways.size()));
      for (auto& [block, way] : ways) phi->addIncoming(way[i], block);
      values.push_back(phi);
    }
  }
  return values;
}

// Lanes side by side in memory, their elements together: from one vector per element.
Value* Widener::interleave(const std::vector<Value*>& values) {
  auto count = unsigned(values.size());
  if (count == 1) return values[0];
  std::vector<Value*> parts = values;
  while (parts.size() > 1) {
    std::vector<Value*> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      unsigned n = cast<FixedVectorType>(parts[i]->getType())->getNumElements();
      SmallVector<int, 128> picks;
      for (unsigned k = 0; k < 2 * n; ++k) picks.push_back(int(k));
      joined.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], picks));
    }
    parts = std::move(joined);
  }
  SmallVector<int, 128> order;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < count; ++i) order.push_back(int(i * kLanes + lane));
  return b_.CreateShuffleVector(parts[0], order);
}

// A masked store takes AMD's AVX2 processors five times as long as a load, a blend and a store. In the block's own
// shared memory, which one host thread alone touches, those are as good, where all the elements lie inside.
void Widener::store_masked(Value* first, AccessDesc desc, Value* mask, Value* value) {
  Value* pointer = pointer_at(first, 0);
  if (desc.space != kSpaceShared || options_.mask_registers) {
    b_.CreateMaskedStore(value, pointer, Align(1), mask);
    return;
  }
  const uint64_t bytes = value->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
  Value* offset = b_.CreateSub(first, load_block(b_.getInt64Ty(), offsetof(BlockContext, shared_host)));
  Value* total = b_.CreateZExt(load_block(b_.getInt32Ty(), offsetof(BlockContext, total_shared)), b_.getInt64Ty());
  Value* inside =
      b_.CreateAnd(b_.CreateICmpSGE(offset, i64(0)), b_.CreateICmpSLE(b_.CreateAdd(offset, i64(bytes)), total));
  Block* blend = Block::Create(context_, "store.blend", step_);
  Block* edge = Block::Create(context_, "store.edge", step_);
  Block* done = Block::Create(context_, "store.blended", step_);
  branch_likely(inside, blend, edge);
  b_.SetInsertPoint(blend);
  Value* old = b_.CreateAlignedLoad(value->getType(), pointer, Align(1));
  b_.CreateAlignedStore(b_.CreateSelect(mask, value, old), pointer, Align(1));
  b_.CreateBr(done);
  b_.SetInsertPoint(edge);
  b_.CreateMaskedStore(value, pointer, Align(1), mask);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Widener::emit_store(CallInst* call) {
  Value* address = call->getArgOperand(0);
  AccessDesc desc = access_of(*call);
  Value* site = call->getArgOperand(2);
  SmallVector<Value*, 4> stored(call->arg_begin() + 3, call->arg_end());
  observe(call, address, desc, site, stored);
  store_lanes(call, address, desc);
}

void Widener::store_lanes(CallInst* call, Value* address, AccessDesc desc) {
  unsigned count = call->arg_size() - 3;
  Type* element = call->getArgOperand(3)->getType();
  uint64_t bytes = element->getIntegerBitWidth() / 8;
  bool is_volatile = desc.order != 0;
  bool all_uniform = uniform(address);
  for (unsigned i = 0; i < count; ++i) all_uniform &= uniform(call->getArgOperand(3 + i));
  if (all_uniform) {
    Value* host = host_address(scalar(address), desc, true);
    for (unsigned i = 0; i < count; ++i) {
      Value* p = b_.CreateIntToPtr(b_.CreateAdd(host, i64(i * bytes)), PointerType::get(context_, 0));
      b_.CreateAlignedStore(scalar(call->getArgOperand(3 + i)), p, Align(1), is_volatile);
    }
    return;
  }
  std::vector<Value*> values;
  for (unsigned i = 0; i < count; ++i) values.push_back(vec(call->getArgOperand(3 + i)));
  Type* in_type = ArrayType::get(wide(element), count);
  if (out_of_line(address, desc, bytes * count)) {
    Value* in = scratch(in_type);
    for (unsigned i = 0; i < count; ++i) b_.CreateStore(values[i], b_.CreateConstGEP2_64(in_type, in, 0, i));
    call_access("store", address, desc, bytes, count, in);
    return;
  }
  // Of lanes at one address the last one's value stays: a helper's work.
  const bool any_stride = stride_of(address) != 0 && can_take_strides(bytes, count);
  const Line line = find_line(address, desc, bytes * count, any_stride);
  const bool contiguous = line.stride == int64_t(bytes * count);
  if (contiguous) prefetch_next(line, desc, true);
  Block* fast = Block::Create(context_, "store.line", step_);
  Block* rest = Block::Create(context_, "store.rest", step_);
  Block* done = Block::Create(context_, "store.done", step_);
  branch_likely(is_whole(line), fast, rest);
  const Made before = made_;

  b_.SetInsertPoint(fast);
  if (contiguous) {
    const auto n = unsigned(line.first.size());
    Value* all = interleave(values);
    for (unsigned i = 0; i < n; ++i)
      b_.CreateAlignedStore(part(all, i, n), pointer_at(line.first[i], 0), Align(1), is_volatile);
  } else {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      b_.CreateAlignedStore(b_.CreateExtractElement(values[0], uint64_t(lane)),
                            pointer_at(line.first[lane / line.lanes()], lane % line.lanes() * line.stride), Align(1),
                            is_volatile);
  }
  b_.CreateBr(done);

  b_.SetInsertPoint(rest);
  if (line.known && contiguous && has_masked_move(bytes, count) && !is_volatile) {
    Block* masked = Block::Create(context_, "store.masked", step_);
    Block* slow = Block::Create(context_, "store.lanes", step_);
    branch_likely(line.ok ? line.ok : b_.getTrue(), masked, slow);
    b_.SetInsertPoint(masked);
    const auto n = unsigned(line.first.size());
    Value* mask = to_mask(mask_);
    for (unsigned i = 0; i < n; ++i) store_masked(line.first[i], desc, part(mask, i, n), part(values[0], i, n));
    b_.CreateBr(done);
    b_.SetInsertPoint(slow);
  }
  Value* in = scratch(in_type);
  for (unsigned i = 0; i < count; ++i) b_.CreateStore(values[i], b_.CreateConstGEP2_64(in_type, in, 0, i));
  Value* addresses = spill(host_address(vec(address), desc, false));
  call_runtime("tgh_store_" + std::to_string(bytes) + "x" + std::to_string(count), b_.getVoidTy(),
               {mask_, addresses, in});
  scratch_used_ = 0;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  made_ = before;
}

} // namespace tollgate::simd
