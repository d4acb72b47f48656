// f32 and f64 arithmetic rounded towards zero (rz), minus (rm) or plus infinity (rp): the host's own instructions under
// another rounding mode in MXCSR.
#include "rtlib/twins.h"

#include <cmath>
#include <immintrin.h>

namespace tollgate::rtlib {
namespace {

// Keeps arithmetic between the two changes of MXCSR: values pass through an opaque, ordered statement.
template <typename T> inline void pin(T& value) { asm volatile("" : "+x"(value) : : "memory"); }

class RoundingMode {
public:
  explicit RoundingMode(unsigned mode) : saved_(_mm_getcsr()) {
    _mm_setcsr((saved_ & ~unsigned{_MM_ROUND_MASK}) | mode);
  }
  ~RoundingMode() { _mm_setcsr(saved_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

private:
  unsigned saved_;
};

struct Add {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct Mul {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
struct Div {
  template <typename T> static T apply(T a, T b) { return a / b; }
};
struct Fma {
  template <typename T> static T apply(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Sqrt {
  template <typename T> static T apply(T a) { return std::sqrt(a); }
};

template <typename Operation, unsigned Mode, typename T, typename... A> struct Directed {
  static T scalar(A... args) {
    RoundingMode mode(Mode);
    (pin(args), ...);
    T value = Operation::apply(args...);
    pin(value);
    return value;
  }
  static void vector(T* __restrict out, const A* __restrict... args) {
    RoundingMode mode(Mode);
    asm volatile("" : : : "memory");
    for (int lane = 0; lane < lanes; ++lane) out[lane] = Operation::apply(args[lane]...);
    asm volatile("" : : : "memory");
  }
  static Function row(std::string_view name) {
    return {name, reinterpret_cast<void*>(&scalar), reinterpret_cast<void*>(&vector)};
  }
};

#define TG_DIRECTED(name, Operation, type, ...)                                                                        \
  Directed<Operation, _MM_ROUND_TOWARD_ZERO, type, __VA_ARGS__>::row(name "_rz_" #type),                               \
      Directed<Operation, _MM_ROUND_DOWN, type, __VA_ARGS__>::row(name "_rm_" #type),                                  \
      Directed<Operation, _MM_ROUND_UP, type, __VA_ARGS__>::row(name "_rp_" #type)

using f32 = float;
using f64 = double;

const Function rows[] = {
    TG_DIRECTED("add", Add, f32, f32, f32),      TG_DIRECTED("add", Add, f64, f64, f64),
    TG_DIRECTED("mul", Mul, f32, f32, f32),      TG_DIRECTED("mul", Mul, f64, f64, f64),
    TG_DIRECTED("div", Div, f32, f32, f32),      TG_DIRECTED("div", Div, f64, f64, f64),
    TG_DIRECTED("fma", Fma, f32, f32, f32, f32), TG_DIRECTED("fma", Fma, f64, f64, f64, f64),
    TG_DIRECTED("sqrt", Sqrt, f32, f32),         TG_DIRECTED("sqrt", Sqrt, f64, f64),
};

#undef TG_DIRECTED

} // namespace

std::span<const Function> directed_rounding_functions() { return rows; }

} // namespace tollgate::rtlib
