// atom and red, lane by lane. Memory of the block itself (.shared) needs no lock: a block stays on one host thread.
// A generic address may be either; the shared range is told by its address.
#include "base/each_lane.h"
#include "exec/address.h"
#include "exec/runtime_symbols.h"
#include "simd/lane_language.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <immintrin.h>

namespace tollgate::exec {

namespace {

using simd::AtomOp;
using Wide = unsigned __int128;

float as_f32(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t f32_bits(float v) { return std::isnan(v) ? 0x7fffffffu : std::bit_cast<uint32_t>(v); }
float flush(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }
float half(uint16_t bits) { return _cvtsh_ss(bits); }
uint16_t half_bits(float v) {
  return std::isnan(v) ? uint16_t(0x7fff) : uint16_t(_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT));
}
float brain(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }
uint16_t brain_bits(float v) {
  if (std::isnan(v)) return 0x7fff;
  uint32_t u = std::bit_cast<uint32_t>(v);
  return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16); // round to nearest even
}

template <typename Fn> uint32_t pairwise(uint32_t a, uint32_t b, Fn fn) {
  return uint32_t(fn(uint16_t(a), uint16_t(b))) | uint32_t(fn(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
}

uint16_t add_half(uint16_t a, uint16_t b) { return half_bits(half(a) + half(b)); }
uint16_t add_brain(uint16_t a, uint16_t b) { return brain_bits(brain(a) + brain(b)); }

// min and max of the half types: NaN loses against a number.
template <float (*Decode)(uint16_t), bool Max> uint16_t extreme(uint16_t a, uint16_t b) {
  float x = Decode(a), y = Decode(b);
  if (std::isnan(x)) return std::isnan(y) ? uint16_t(0x7fff) : b;
  if (std::isnan(y)) return a;
  if (x == y) return (std::signbit(x) == Max) ? b : a; // -0 < +0
  return (x > y) == Max ? a : b;
}

// The value that `old` becomes. `flushes`: atom.add.f32 on global memory flushes subnormals (PTX ISA, atom).
template <AtomOp Op, typename T> T apply(T old, T a, bool flushes) {
  using S = std::make_signed_t<std::conditional_t<sizeof(T) == 16, uint64_t, T>>;
  if constexpr (Op == AtomOp::Add) return T(old + a);
  if constexpr (Op == AtomOp::MinU) return old < a ? old : a;
  if constexpr (Op == AtomOp::MaxU) return old > a ? old : a;
  if constexpr (Op == AtomOp::MinS) return S(old) < S(a) ? old : a;
  if constexpr (Op == AtomOp::MaxS) return S(old) > S(a) ? old : a;
  if constexpr (Op == AtomOp::Inc) return old >= a ? T(0) : T(old + 1);
  if constexpr (Op == AtomOp::Dec) return old == 0 || old > a ? a : T(old - 1);
  if constexpr (Op == AtomOp::Exch) return a;
  if constexpr (Op == AtomOp::And) return old & a;
  if constexpr (Op == AtomOp::Or) return old | a;
  if constexpr (Op == AtomOp::Xor) return old ^ a;
  if constexpr (sizeof(T) == 4) {
    if constexpr (Op == AtomOp::AddF32) {
      if (flushes) return f32_bits(flush(flush(as_f32(old)) + flush(as_f32(a))));
      return f32_bits(as_f32(old) + as_f32(a));
    }
    if constexpr (Op == AtomOp::AddF32Ftz) return f32_bits(flush(flush(as_f32(old)) + flush(as_f32(a))));
    if constexpr (Op == AtomOp::AddF16x2) return pairwise(old, a, add_half);
    if constexpr (Op == AtomOp::AddBF16x2) return pairwise(old, a, add_brain);
    if constexpr (Op == AtomOp::MinF16x2) return pairwise(old, a, extreme<half, false>);
    if constexpr (Op == AtomOp::MaxF16x2) return pairwise(old, a, extreme<half, true>);
    if constexpr (Op == AtomOp::MinBF16x2) return pairwise(old, a, extreme<brain, false>);
    if constexpr (Op == AtomOp::MaxBF16x2) return pairwise(old, a, extreme<brain, true>);
  }
  if constexpr (sizeof(T) == 8 && Op == AtomOp::AddF64)
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(a));
  if constexpr (sizeof(T) == 2) {
    if constexpr (Op == AtomOp::AddF16) return add_half(old, a);
    if constexpr (Op == AtomOp::AddBF16) return add_brain(old, a);
    if constexpr (Op == AtomOp::MinF16) return extreme<half, false>(old, a);
    if constexpr (Op == AtomOp::MaxF16) return extreme<half, true>(old, a);
    if constexpr (Op == AtomOp::MinBF16) return extreme<brain, false>(old, a);
    if constexpr (Op == AtomOp::MaxBF16) return extreme<brain, true>(old, a);
  }
  return old;
}

bool is_shared(uint64_t host) { return kSharedRange.contains(host - kBias); }

// One lane's read-modify-write on memory that other host threads may touch.
template <AtomOp Op, typename T> T locked(uint64_t address, T a, T b) {
  auto* p = reinterpret_cast<T*>(address);
  if constexpr (sizeof(T) == 16) {
    T old = *p;
    while (true) {
      T next = Op == AtomOp::Cas ? (old == a ? b : old) : a;
      T seen = __sync_val_compare_and_swap(p, old, next);
      if (seen == old) return old;
      old = seen;
    }
  } else if constexpr (Op == AtomOp::Cas) {
    T expected = a;
    __atomic_compare_exchange_n(p, &expected, b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  } else if constexpr (Op == AtomOp::Add) {
    return __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);
  } else if constexpr (Op == AtomOp::Exch) {
    return __atomic_exchange_n(p, a, __ATOMIC_SEQ_CST);
  } else if constexpr (Op == AtomOp::And) {
    return __atomic_fetch_and(p, a, __ATOMIC_SEQ_CST);
  } else if constexpr (Op == AtomOp::Or) {
    return __atomic_fetch_or(p, a, __ATOMIC_SEQ_CST);
  } else if constexpr (Op == AtomOp::Xor) {
    return __atomic_fetch_xor(p, a, __ATOMIC_SEQ_CST);
  } else {
    T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(p, &old, apply<Op>(old, a, true), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
  }
}

template <AtomOp Op, typename T> T unlocked(uint64_t address, T a, T b) {
  typedef T Alias __attribute__((may_alias));
  auto* p = reinterpret_cast<Alias*>(address);
  T old = *p;
  if constexpr (Op == AtomOp::Cas)
    *p = old == a ? b : old;
  else
    *p = apply<Op>(old, a, false);
  return old;
}

enum class Where { Shared, Anywhere };

template <AtomOp Op, typename T, Where W> T one(uint64_t address, T a, T b) {
  if constexpr (W == Where::Shared) return unlocked<Op, T>(address, a, b);
  return is_shared(address) ? unlocked<Op, T>(address, a, b) : locked<Op, T>(address, a, b);
}

template <AtomOp Op, typename T, Where W> struct Lanes {
  static void red(uint32_t lanes, const uint64_t* address, const T* a) {
    each_lane_of_most(lanes, [&](unsigned i) { one<Op, T, W>(address[i], a[i], T()); });
  }
  static void atom(uint32_t lanes, const uint64_t* address, const T* a, T* out) {
    each_lane_of_most(lanes, [&](unsigned i) { out[i] = one<Op, T, W>(address[i], a[i], T()); });
  }
  static void red_cas(uint32_t lanes, const uint64_t* address, const T* a, const T* b) {
    each_lane_of_most(lanes, [&](unsigned i) { one<Op, T, W>(address[i], a[i], b[i]); });
  }
  static void atom_cas(uint32_t lanes, const uint64_t* address, const T* a, const T* b, T* out) {
    each_lane_of_most(lanes, [&](unsigned i) { out[i] = one<Op, T, W>(address[i], a[i], b[i]); });
  }
};

template <AtomOp Op, typename T> void add(Symbols& out) {
  std::string suffix = std::string(simd::atom_name(Op)) + "_" + std::to_string(sizeof(T));
  using Shared = Lanes<Op, T, Where::Shared>;
  using Anywhere = Lanes<Op, T, Where::Anywhere>;
  if constexpr (Op == AtomOp::Cas) {
    add_symbol(out, "tgh_red_shared_" + suffix, &Shared::red_cas);
    add_symbol(out, "tgh_atom_shared_" + suffix, &Shared::atom_cas);
    add_symbol(out, "tgh_red_" + suffix, &Anywhere::red_cas);
    add_symbol(out, "tgh_atom_" + suffix, &Anywhere::atom_cas);
  } else {
    add_symbol(out, "tgh_red_shared_" + suffix, &Shared::red);
    add_symbol(out, "tgh_atom_shared_" + suffix, &Shared::atom);
    add_symbol(out, "tgh_red_" + suffix, &Anywhere::red);
    add_symbol(out, "tgh_atom_" + suffix, &Anywhere::atom);
  }
}

template <typename T, AtomOp... Ops> void add_all(Symbols& out) { (add<Ops, T>(out), ...); }

} // namespace

RedFunction red_function(uint32_t op, unsigned bytes) {
  static const Symbols all = [] {
    Symbols out;
    add_atomic_symbols(out);
    return out;
  }();
  const std::string name = "tgh_red_" + std::string(simd::atom_name(AtomOp(op))) + "_" + std::to_string(bytes);
  for (const auto& symbol : all)
    if (symbol.name == name) return reinterpret_cast<RedFunction>(symbol.address);
  return nullptr;
}

void add_atomic_symbols(Symbols& out) {
  using O = AtomOp;
  add_all<uint32_t, O::Add, O::MinS, O::MaxS, O::MinU, O::MaxU, O::Inc, O::Dec, O::Exch, O::Cas, O::And, O::Or, O::Xor,
          O::AddF32, O::AddF32Ftz, O::AddF16x2, O::AddBF16x2, O::MinF16x2, O::MaxF16x2, O::MinBF16x2, O::MaxBF16x2>(
      out);
  add_all<uint64_t, O::Add, O::MinS, O::MaxS, O::MinU, O::MaxU, O::Exch, O::Cas, O::And, O::Or, O::Xor, O::AddF64>(out);
  add_all<uint16_t, O::Cas, O::Exch, O::AddF16, O::AddBF16, O::MinF16, O::MaxF16, O::MinBF16, O::MaxBF16>(out);
  add_all<Wide, O::Cas, O::Exch>(out);
}

} // namespace tollgate::exec
