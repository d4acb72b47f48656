#include "report/place.h"

#include <algorithm>
#include <array>

namespace tollgate::report {

bool library_file(const std::string& file) {
  static constexpr std::array parts{"/cuda/include/", "/targets/x86_64-linux/include/", "/tollgate/cuda/"};
  return file.starts_with("/usr/") ||
         std::any_of(parts.begin(), parts.end(), [&](const char* p) { return file.find(p) != std::string::npos; });
}

size_t shown_frame(const observe::Place& place) {
  for (size_t i = 0; i < place.stack.size(); ++i)
    if (!library_file(place.stack[i].file) && place.stack[i].line != 0) return i;
  return 0;
}

} // namespace tollgate::report
