#include "report/report.h"

#include <algorithm>

namespace tollgate::report {

using observe::Finding;
using observe::Place;
using observe::Severity;

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Clean: return "clean";
  case Verdict::Findings: return "findings";
  case Verdict::Incomplete: return "incomplete";
  case Verdict::Error: return "error";
  }
  return "error";
}

std::string_view name(Severity severity) {
  switch (severity) {
  case Severity::Note: return "note";
  case Severity::Warning: return "warning";
  case Severity::Error: return "error";
  }
  return "error";
}

namespace {

// Source positions identify a place; an inlined or unrolled copy of the same call is the same place. Without line
// information the PTX line has to do.
std::string place_key(const Place& place) {
  std::string key;
  for (const auto& frame : place.stack)
    key += frame.file + ":" + std::to_string(frame.line) + ":" + std::to_string(frame.column) + ";";
  if (key.empty()) key = place.ptx_name + "@" + std::to_string(place.ptx_line);
  return key;
}

// The pair is unordered: "A against B" and "B against A" are one finding.
std::string finding_key(const Finding& finding) {
  std::vector<std::string> places{place_key(finding.at.at)};
  for (const auto& other : finding.others) places.push_back(place_key(other.at));
  std::sort(places.begin(), places.end());
  std::string key = finding.rule + "|" + std::string(name(finding.severity)) + "|";
  const bool placeless = std::all_of(places.begin(), places.end(), [](const auto& p) { return p == "@0"; });
  if (placeless) key += finding.kernel + "|" + finding.message + "|" + finding.at.object + "|";
  for (const auto& place : places) key += place + "|";
  return key;
}

} // namespace

std::pair<size_t, bool> FindingSet::add(Finding finding) {
  const auto [entry, fresh] = index_.try_emplace(finding_key(finding), findings_.size());
  if (fresh)
    findings_.push_back(std::move(finding));
  else
    findings_[entry->second].count += finding.count;
  return {entry->second, fresh};
}

size_t FindingSet::count(Severity severity) const {
  return static_cast<size_t>(std::count_if(findings_.begin(), findings_.end(),
                                           [&](const Finding& finding) { return finding.severity == severity; }));
}

bool Report::complete() const {
  return incomplete.empty() && std::none_of(findings.all().begin(), findings.all().end(),
                                            [](const Finding& finding) { return finding.rule == "not-modelled"; });
}

Verdict Report::verdict() const {
  if (!error.empty()) return Verdict::Error;
  if (findings.count(Severity::Error) != 0) return Verdict::Findings;
  if (!complete()) return Verdict::Incomplete;
  // Notes inform; they do not spoil a clean run.
  return findings.count(Severity::Warning) != 0 ? Verdict::Findings : Verdict::Clean;
}

void Report::merge(const ProcessSummary& summary) {
  for (const auto& kernel : summary.kernels) {
    auto known = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == kernel.name; });
    if (known == kernels.end()) {
      kernels.push_back(kernel);
      continue;
    }
    known->launches += kernel.launches;
    known->threads += kernel.threads;
    known->approximate |= kernel.approximate;
  }
  for (const auto& reason : summary.incomplete)
    if (std::find(incomplete.begin(), incomplete.end(), reason) == incomplete.end()) incomplete.push_back(reason);
}

} // namespace tollgate::report
