// Any bytes: an error or a module, and a module prints as text that parses to the same text again.
#include "ptx/parser.h"
#include "ptx/printer.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tollgate::ptx;
  const auto module = parse_module({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!module) return 0;
  const std::string printed = print(**module);
  const auto again = parse_module(printed, "printed");
  if (!again || print(**again) != printed) {
    std::fputs(again ? "printed text changed\n" : again.error().to_string().c_str(), stderr);
    std::fputs(printed.c_str(), stderr);
    std::abort();
  }
  return 0;
}
