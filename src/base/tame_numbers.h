// Numbers of a JSON text from outside, made harmless: converting 1e300 to an unsigned int is undefined in C++, and the
// JSON library converts what it finds.
#pragma once

#include <algorithm>

namespace tollgate {

// Brings every number with a fraction or an exponent into the range of int32_t from 0 on.
template <typename Json> void tame_numbers(Json& json) {
  if (json.is_number_float()) {
    const double value = json.template get<double>();
    json = value >= 0 ? std::min(value, 2147483647.0) : 0.0; // also where it is no number
  } else if (json.is_structured()) {
    for (auto& part : json) tame_numbers(part);
  }
}

} // namespace tollgate
