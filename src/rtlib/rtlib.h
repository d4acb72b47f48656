// Awkward pure instructions in plain C++: each is a scalar function and a twin that does 32 lanes.
// Generated code calls them by address; the table maps the name used by LaneBuilder::rt to both.
#pragma once

#include <span>
#include <string_view>

namespace tollgate::rtlib {

struct Function {
  std::string_view name; // "ex2_approx_f32"
  void* scalar;          // T (*)(A, B, ...)
  void* vector;          // void (*)(T* out, const A* a, const B* b, ...): 32 elements each
};

std::span<const Function> functions();

} // namespace tollgate::rtlib
