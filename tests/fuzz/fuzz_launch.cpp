// Any text as the argument of --launch or --fail-on.
#include "cli/fail_on.h"
#include "cli/launch_text.h"

#include <array>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)tollgate::cli::parse_launch(text);
  static constexpr std::array<std::string_view, 2> rules{"race-shared", "out-of-bounds"};
  (void)tollgate::cli::parse_fail_on(text, rules);
  return 0;
}
