// Stands in for the replacement libcudart in tests of the command line: it reports what the program asks it to.
#include "engine/config.h"
#include "report/process_report.h"

#include <cstdio>
#include <cstdlib>

using namespace tollgate;

namespace {

report::ProcessSummary summary;
std::string rule;                                                     // of the next findings, instead of the usual ones
observe::SourceFrame place{"guarded.cu", 9, 5, "guarded(int*, int)"}; // of the next findings
bool with_details = false;
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
  finding.rule = !rule.empty() ? rule : name == "error" ? "barrier-divergent" : "barrier-early-exit";
  finding.message = "a finding for the test";
  finding.kernel = "guarded(int*, int)";
  finding.at.at.stack = {place};
  finding.at.role = "threads 0-99 wait here";
  if (with_details) finding.details = {"threads 0-31: waiting at barrier 1 for 64 threads, guarded.cu:9:5"};
  sink->report(std::move(finding));
}
EXPORT void fake_rule(const char* name) { rule = name; }
EXPORT void fake_place(const char* file, int line) {
  place = {file, static_cast<uint32_t>(line), 5, "guarded(int*, int)"};
}
EXPORT void fake_details() { with_details = true; }
EXPORT void fake_kernel(const char* name) { summary.kernels.push_back({name, 2, 512, false}); }
EXPORT void fake_launched(const char* name) { // a kernel begins to run, once more
  static report::KernelSummary kernel;
  kernel = {name, kernel.launches + 1, kernel.threads + 256, false};
  sink->launched(&kernel, kernel);
}
EXPORT void fake_incomplete(const char* reason) { summary.incomplete.emplace_back(reason); }
EXPORT void fake_finish() { sink->finish(summary); }
EXPORT void fake_show_config() { std::puts(engine::to_json(config).c_str()); }
