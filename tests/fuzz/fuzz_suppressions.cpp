// Any bytes as a suppression file, and any line as one that may hold a `tollgate: allow` comment.
#include "report/suppression.h"

#include <array>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static constexpr std::array<std::string_view, 3> rules{"race-shared", "barrier-divergent", "out-of-bounds"};
  (void)tollgate::report::parse_suppressions(text, "fuzz", rules);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) (void)tollgate::report::parse_allowance(line, rules);
  return 0;
}
