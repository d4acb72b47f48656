#include "rtlib/rtlib.h"
#include "rtlib/twins.h"

#include <vector>

namespace tollgate::rtlib {

std::span<const Function> functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> rows;
    for (auto part :
         {bit_functions(), byte_float_functions(), directed_rounding_functions(), transcendental_functions()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

} // namespace tollgate::rtlib
