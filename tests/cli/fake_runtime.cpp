// Stands in for the replacement libcudart in tests of the command line: it reports what the program asks it to.
#include "engine/config.h"
#include "report/process_report.h"

#include <cstdio>
#include <cstdlib>

using namespace tollgate;

namespace {

report::ProcessSummary summary;
engine::Config config;
std::unique_ptr<report::ReportSink> sink;

// When the library is loaded, after the objects above.
[[maybe_unused]] const bool started = [] {
  auto read = engine::config_from_environment();
  if (!read) {
    std::fprintf(stderr, "%s\n", read.error().to_string().c_str());
    std::abort();
  }
  config = *read;
  sink = report::open_sink(config.report_path, "fake");
  return true;
}();

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void fake_finding(const char* severity) {
  observe::Finding finding;
  const std::string name = severity;
  finding.severity = name == "note"      ? observe::Severity::Note
                     : name == "warning" ? observe::Severity::Warning
                                         : observe::Severity::Error;
  finding.rule = name == "error" ? "barrier-divergent" : "barrier-early-exit";
  finding.message = "a finding for the test";
  finding.kernel = "guarded(int*, int)";
  finding.at.at.stack = {{"guarded.cu", 9, 5, "guarded(int*, int)"}};
  finding.at.role = "threads 0-99 wait here";
  sink->report(std::move(finding));
}
EXPORT void fake_kernel(const char* name) { summary.kernels.push_back({name, 2, 512, false}); }
EXPORT void fake_incomplete(const char* reason) { summary.incomplete.emplace_back(reason); }
EXPORT void fake_finish() { sink->finish(summary); }
EXPORT void fake_show_config() { std::puts(engine::to_json(config).c_str()); }
