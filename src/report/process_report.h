// The report file of one checked process, as JSON lines. Findings are appended as they happen, so that a process that
// is killed still leaves them behind; the summary comes last and its absence is evidence of an abnormal end.
//
//   {"kind":"process","schema":"tollgate-process/1","pid":12,"program":"a.out"}
//   {"kind":"finding","id":0, ...a finding of tollgate-findings/1...}
//   {"kind":"count","id":0,"count":17}                      once per finding that was seen again; a whole finding with
//                                                           a known id replaces what was said of it before
//   {"kind":"kernel","name":"k()","fidelity":"exact","launches":2,"threads":512}   at its first launch; the numbers are
//                                                           rewritten in place at each further one
//   {"kind":"summary","kernels":[...],"incomplete":[...]}   only if the process ended normally
//
// A second "process" line follows where a program started another one in its place (exec).
#pragma once

#include "base/result.h"
#include "report/report.h"

#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace tollgate::report {

// The engine's end. Thread-safe. A forked child that goes on to report opens a file of its own.
class ReportSink : public observe::FindingSink {
public:
  // A kernel (any address that tells it from others) begins to run. Its numbers, this launch included, outlive any end
  // of the process.
  virtual void launched(const void* kernel, const KernelSummary& numbers) = 0;
  virtual void finish(const ProcessSummary& summary) = 0;
};

// `path` may hold %p for the process id. With an empty path findings are rendered as text on standard error.
[[nodiscard]] std::unique_ptr<ReportSink> open_sink(const std::string& path, const std::string& program);

// The reader's end.
struct ProcessReport {
  long pid = 0;
  std::string program;
  std::vector<observe::Finding> findings;
  ProcessSummary summary;
  bool finished = false; // the summary line is there
  bool replaced = false; // an earlier program of this process was replaced (exec) and has no summary
  uint64_t dropped = 0;  // findings beyond the bound of FindingSet
};

[[nodiscard]] Result<ProcessReport> read_process_report(const std::string& path);
[[nodiscard]] Result<ProcessReport> read_process_report(std::istream& text, const std::string& name);

// "%p" in `pattern` becomes the process id; "%%" a percent sign.
[[nodiscard]] std::string expand_pid(const std::string& pattern, long pid);

} // namespace tollgate::report
