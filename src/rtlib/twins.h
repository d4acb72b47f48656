// From one inline function to the scalar entry, its 32-lane twin and the row of the table.
#pragma once

#include "rtlib/rtlib.h"

#include <span>

namespace tollgate::rtlib {

inline constexpr int lanes = 32;

// The function's argument and result types, taken from its address.
template <auto F> struct Twins;

template <typename R, typename... A, R (*F)(A...)> struct Twins<F> {
  static R scalar(A... args) { return F(args...); }
  static void vector(R* __restrict out, const A* __restrict... args) {
    for (int lane = 0; lane < lanes; ++lane) out[lane] = F(args[lane]...);
  }
};

template <auto F> Function row(std::string_view name) {
  return {name, reinterpret_cast<void*>(&Twins<F>::scalar), reinterpret_cast<void*>(&Twins<F>::vector)};
}

// What each file contributes.
std::span<const Function> bit_functions();
std::span<const Function> byte_float_functions();
std::span<const Function> directed_rounding_functions();
std::span<const Function> transcendental_functions();

} // namespace tollgate::rtlib
