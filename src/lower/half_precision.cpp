// PTX ISA 9.7.4, Half Precision Floating-Point Instructions: f16, f16x2, bf16, bf16x2.
#include "lower/chapters.h"
#include "lower/half_ops.h"

#include <array>

namespace tollgate::lower {
namespace {

// The operands of one 16-bit element, as bits and as f32.
struct Element {
  HalfFormat format;
  std::array<Value*, 3> bits{};
  std::array<Value*, 3> f32{};
};

// Runs `operation` (Element -> i16 bits) on the one or two elements of the instruction's type.
template <typename Operation>
void for_each_element(LaneBuilder& lb, const Instruction& inst, size_t sources, Operation operation) {
  const Type type = first_type(inst);
  const bool packed = is_packed_half(type);
  std::array<Element, 2> elements{};
  for (size_t i = 0; i < sources; ++i) {
    Value* value = half_source(lb, inst, i + 1, type);
    const Halves halves = packed ? split_halves(lb, value) : Halves{value, nullptr};
    for (size_t lane = 0; lane < (packed ? 2u : 1u); ++lane) {
      Element& element = elements[lane];
      element.format = half_format(type);
      Value* bits = lane == 0 ? halves.low : halves.high;
      if (inst.mods.ftz) bits = flush_half(lb, bits, element.format);
      element.bits[i] = bits;
      element.f32[i] = half_to_f32(lb, bits, element.format);
    }
  }
  Value* low = operation(elements[0]);
  half_result(lb, inst, type, packed ? join_halves(lb, low, operation(elements[1])) : low);
}

// Rounds an f32 (exact or rounded to odd) to the element type and applies .sat, .relu and .ftz.
Value* finish_half(LaneBuilder& lb, const Instruction& inst, Value* f32, HalfFormat format) {
  if (inst.mods.relu) f32 = clamp_negative(lb, f32);
  if (inst.mods.sat) f32 = saturate(lb, f32);
  Value* bits = f32_to_half(lb, f32, format);
  if (!inst.mods.ftz) return bits;
  // Below this an f16 is subnormal even when it is rounded with an unbounded exponent; a bf16 (which only
  // ex2.approx.ftz comes to here) is looked at before it is rounded, as an H200 does.
  Value* size = unary(lb, llvm::Intrinsic::fabs, f32);
  Value* tiny = lb.ir().CreateFCmpOLT(size, float_constant(f32, format == HalfFormat::F16 ? 0x1.ffep-15 : 0x1p-126));
  return lb.ir().CreateSelect(tiny, lb.ir().CreateAnd(bits, 0x8000), bits);
}

Value* canonical_half(LaneBuilder& lb, const Element& e, Value* bits) {
  return lb.ir().CreateSelect(is_nan(lb, e.f32[0]), lb.ir().getInt16(0x7fff), bits);
}

// a * b + c, rounded once. In f16 the product is exact in f32; in bf16 it needs the exponent range of f64.
Value* fused(LaneBuilder& lb, Value* a, Value* b, Value* c, HalfFormat format) {
  auto& ir = lb.ir();
  if (format == HalfFormat::F16) return add_to_odd(lb, ir.CreateFMul(a, b), c);
  auto wide = [&](Value* value) { return ir.CreateFPExt(value, ir.getDoubleTy()); };
  return narrow_to_odd(lb, add_to_odd(lb, ir.CreateFMul(wide(a), wide(b)), wide(c)));
}

// The sum of two 8- or 11-bit significands rounds innocuously through f32's 24 bits; so does an f16 product, which is
// exact there. A bf16 product may be subnormal in f32 and takes the wide path.
Value* product(LaneBuilder& lb, const Element& e) {
  auto& ir = lb.ir();
  if (e.format == HalfFormat::F16) return ir.CreateFMul(e.f32[0], e.f32[1]);
  Value* wide = ir.CreateFMul(ir.CreateFPExt(e.f32[0], ir.getDoubleTy()), ir.CreateFPExt(e.f32[1], ir.getDoubleTy()));
  return narrow_to_odd(lb, wide);
}

void lower_min_max(LaneBuilder& lb, const Instruction& inst, bool is_max) {
  for_each_element(lb, inst, 2, [&](const Element& e) {
    return f32_to_half(lb, float_min_max(lb, inst, e.f32[0], e.f32[1], is_max), e.format);
  });
}

void lower_approximation(LaneBuilder& lb, const Instruction& inst, const char* function) {
  for_each_element(lb, inst, 1, [&](const Element& e) {
    return finish_half(lb, inst, lb.rt(function, lb.ir().getFloatTy(), {e.f32[0]}), e.format);
  });
}

} // namespace

void lower_half_add(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 2, [&](const Element& e) {
    return finish_half(lb, inst, lb.ir().CreateFAdd(e.f32[0], e.f32[1]), e.format);
  });
}

void lower_half_sub(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 2, [&](const Element& e) {
    return finish_half(lb, inst, lb.ir().CreateFSub(e.f32[0], e.f32[1]), e.format);
  });
}

void lower_half_mul(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 2, [&](const Element& e) { return finish_half(lb, inst, product(lb, e), e.format); });
}

void lower_half_fma(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 3, [&](const Element& e) {
    return finish_half(lb, inst, fused(lb, e.f32[0], e.f32[1], e.f32[2], e.format), e.format);
  });
}

void lower_half_abs(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 1,
                   [&](const Element& e) { return canonical_half(lb, e, lb.ir().CreateAnd(e.bits[0], 0x7fff)); });
}

void lower_half_neg(LaneBuilder& lb, const Instruction& inst) {
  for_each_element(lb, inst, 1,
                   [&](const Element& e) { return canonical_half(lb, e, lb.ir().CreateXor(e.bits[0], 0x8000)); });
}

void lower_half_min(LaneBuilder& lb, const Instruction& inst) { lower_min_max(lb, inst, false); }
void lower_half_max(LaneBuilder& lb, const Instruction& inst) { lower_min_max(lb, inst, true); }

void lower_half_ex2(LaneBuilder& lb, const Instruction& inst) { lower_approximation(lb, inst, "ex2_approx_f32"); }
void lower_half_tanh(LaneBuilder& lb, const Instruction& inst) { lower_approximation(lb, inst, "tanh_approx_f32"); }

} // namespace tollgate::lower
