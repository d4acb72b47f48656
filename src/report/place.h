// Which line of a place is the user's own.
#pragma once

#include "observe/site.h"

#include <cstddef>
#include <string>

namespace tollgate::report {

// Headers of the toolkit, of the compiler and of this tool: the user looks for a line of their own first.
[[nodiscard]] bool library_file(const std::string& file);

// Index of the frame whose line is shown: the innermost of the user's own, else simply the innermost.
[[nodiscard]] size_t shown_frame(const observe::Place& place);

[[nodiscard]] inline bool has_line(const observe::Place& place) {
  return !place.stack.empty() && place.stack[shown_frame(place)].line != 0;
}

} // namespace tollgate::report
