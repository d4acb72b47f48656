// Which line of a place is the user's own (observe/own_line.h), and whether there is any.
#pragma once

#include "observe/own_line.h"

namespace tollgate::report {

using observe::library_file;
using observe::shown_frame;

[[nodiscard]] inline bool has_line(const observe::Place& place) {
  return !place.stack.empty() && place.stack[shown_frame(place)].line != 0;
}

} // namespace tollgate::report
