// Which line of a place is the user's own.
#pragma once

#include "observe/site.h"

#include <algorithm>
#include <array>
#include <string>

namespace tollgate::observe {

// Headers of the toolkit, of the compiler and of this tool: the user looks for a line of their own first.
[[nodiscard]] inline bool library_file(const std::string& file) {
  constexpr std::array parts{"/cuda/include/",   "/targets/x86_64-linux/include/",
                             "/tollgate/cuda/",  "/include/cub/",
                             "/include/thrust/", "/include/cuda/"};
  return file.starts_with("/usr/") || std::any_of(parts.begin(), parts.end(), [&](const char* part) {
           return file.find(part) != std::string::npos;
         });
}

// Index of the frame whose line is shown: the innermost of the user's own, else simply the innermost.
[[nodiscard]] inline size_t shown_frame(const Place& place) {
  for (size_t i = 0; i < place.stack.size(); ++i)
    if (!library_file(place.stack[i].file) && place.stack[i].line != 0) return i;
  return 0;
}

// No line of the user's is on the way: kernels of Thrust and of CUB's device-wide algorithms.
[[nodiscard]] inline bool in_library(const Place& place) {
  return !place.stack.empty() &&
         std::ranges::all_of(place.stack, [](const auto& frame) { return library_file(frame.file); });
}

} // namespace tollgate::observe
