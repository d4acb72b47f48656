// Any bytes as a report: what `merge` and `--baseline` read, and what a program's process hands over.
#include "engine/config.h"
#include "report/baseline.h"
#include "report/process_report.h"
#include "report/read.h"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)tollgate::report::parse_report(text, "fuzz");
  (void)tollgate::report::parse_baseline(text, "fuzz");
  std::istringstream stream(text);
  (void)tollgate::report::read_process_report(stream, "fuzz");
  (void)tollgate::engine::config_from_json(text);
  return 0;
}
