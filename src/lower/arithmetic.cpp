#include "lower/arithmetic.h"

#include "lower/chapters.h"
#include "lower/ops.h"

#include <algorithm>
#include <array>

namespace tollgate::lower {
namespace {

// Several opcodes stand in the integer, the floating-point and the half-precision chapter; the type decides.
template <LowerFn Integer, LowerFn Float, LowerFn Half> void by_type(LaneBuilder& lb, const Instruction& inst) {
  const Type type = first_type(inst);
  LowerFn chosen = is_half(type) ? Half : ptx::is_float(type) ? Float : Integer;
  chosen(lb, inst);
}

template <LowerFn Plain, LowerFn Carry> void by_carry(LaneBuilder& lb, const Instruction& inst) {
  (inst.mods.cc ? Carry : Plain)(lb, inst);
}

void no_such_form(LaneBuilder& lb, const Instruction& inst) { unsupported_form(lb, inst, "this type"); }

struct Row {
  std::string_view mnemonic;
  LowerFn lower;
};

// Sorted by mnemonic.
constexpr Row table[] = {
    {"abs", by_type<lower_integer_abs, lower_float_abs, lower_half_abs>},
    {"add", by_carry<by_type<lower_integer_add, lower_float_add, lower_half_add>, lower_add_carry>},
    {"addc", lower_addc},
    {"and", lower_and},
    {"bfe", lower_bfe},
    {"bfi", lower_bfi},
    {"bfind", lower_bfind},
    {"bmsk", lower_bmsk},
    {"brev", lower_brev},
    {"clz", lower_clz},
    {"cnot", lower_cnot},
    {"copysign", lower_copysign},
    {"cos", lower_cos},
    {"cvt", lower_cvt},
    {"cvt.pack", lower_cvt_pack},
    {"div", by_type<lower_integer_div, lower_float_div, no_such_form>},
    {"dp2a", lower_dp2a},
    {"dp4a", lower_dp4a},
    {"ex2", by_type<no_such_form, lower_float_ex2, lower_half_ex2>},
    {"fma", by_type<no_such_form, lower_float_fma, lower_half_fma>},
    {"fns", lower_fns},
    {"lg2", lower_lg2},
    {"lop3", lower_lop3},
    {"mad", by_carry<by_type<lower_integer_mad, lower_float_fma, no_such_form>, lower_mad_carry>},
    {"mad24", lower_mad24},
    {"madc", lower_madc},
    {"max", by_type<lower_integer_max, lower_float_max, lower_half_max>},
    {"min", by_type<lower_integer_min, lower_float_min, lower_half_min>},
    {"mov", lower_mov},
    {"mul", by_type<lower_integer_mul, lower_float_mul, lower_half_mul>},
    {"mul24", lower_mul24},
    {"neg", by_type<lower_integer_neg, lower_float_neg, lower_half_neg>},
    {"not", lower_not},
    {"or", lower_or},
    {"popc", lower_popc},
    {"prmt", lower_prmt},
    {"rcp", lower_rcp},
    {"rem", lower_rem},
    {"rsqrt", lower_rsqrt},
    {"sad", lower_sad},
    {"selp", lower_selp},
    {"set", lower_set},
    {"setp", lower_setp},
    {"shf", lower_shf},
    {"shl", lower_shl},
    {"shr", lower_shr},
    {"sin", lower_sin},
    {"slct", lower_slct},
    {"sqrt", lower_sqrt},
    {"sub", by_carry<by_type<lower_integer_sub, lower_float_sub, lower_half_sub>, lower_sub_carry>},
    {"subc", lower_subc},
    {"szext", lower_szext},
    {"tanh", by_type<no_such_form, lower_float_tanh, lower_half_tanh>},
    {"testp", lower_testp},
    {"xor", lower_xor},
};
static_assert(std::ranges::is_sorted(table, {}, &Row::mnemonic));

constexpr auto mnemonics = [] {
  std::array<std::string_view, std::size(table)> names{};
  std::ranges::transform(table, names.begin(), &Row::mnemonic);
  return names;
}();

} // namespace

LowerFn find_arithmetic(std::string_view mnemonic) {
  const auto* row = std::ranges::lower_bound(table, mnemonic, {}, &Row::mnemonic);
  return row != std::end(table) && row->mnemonic == mnemonic ? row->lower : nullptr;
}

std::span<const std::string_view> arithmetic_mnemonics() { return mnemonics; }

Value* shift_left(LaneBuilder& lb, Value* a, Value* count) {
  auto& ir = lb.ir();
  Value* limit = constant_like(count, width_of(a));
  Value* inside = ir.CreateICmpULT(count, limit);
  Value* safe = ir.CreateZExtOrTrunc(ir.CreateSelect(inside, count, constant_like(count, 0)), a->getType());
  return ir.CreateSelect(inside, ir.CreateShl(a, safe), constant_like(a, 0));
}

Value* shift_right(LaneBuilder& lb, Value* a, Value* count) {
  auto& ir = lb.ir();
  Value* limit = constant_like(count, width_of(a));
  Value* inside = ir.CreateICmpULT(count, limit);
  Value* safe = ir.CreateZExtOrTrunc(ir.CreateSelect(inside, count, constant_like(count, 0)), a->getType());
  return ir.CreateSelect(inside, ir.CreateLShr(a, safe), constant_like(a, 0));
}

Value* shift_right_signed(LaneBuilder& lb, Value* a, Value* count) {
  auto& ir = lb.ir();
  Value* clamped = umin(lb, count, constant_like(count, width_of(a) - 1));
  return ir.CreateAShr(a, ir.CreateZExtOrTrunc(clamped, a->getType()));
}

Halves split_halves(LaneBuilder& lb, Value* packed) {
  auto& ir = lb.ir();
  return {ir.CreateTrunc(packed, ir.getInt16Ty()), ir.CreateTrunc(ir.CreateLShr(packed, 16), ir.getInt16Ty())};
}

Value* join_halves(LaneBuilder& lb, Value* low, Value* high) {
  auto& ir = lb.ir();
  Value* top = ir.CreateShl(ir.CreateZExt(high, ir.getInt32Ty()), 16);
  return ir.CreateOr(ir.CreateZExt(low, ir.getInt32Ty()), top);
}

void unsupported_form(LaneBuilder& lb, const Instruction& inst, std::string what) {
  std::string message(inst.form ? inst.form->name : "instruction");
  for (Type type : inst.mods.types)
    if (type != Type::None) message.append(1, '.').append(ptx::to_string(type));
  lb.fail(inst, message + ": " + what + " is not a form of the PTX manual that can be run here");
}

} // namespace tollgate::lower
