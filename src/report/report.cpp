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

FindingSet::Added FindingSet::add(Finding finding) {
  if (finding.others.size() >= most_places) {
    finding.notes.push_back(std::to_string(finding.others.size() + 1 - most_places) + " more places are left out here");
    finding.others.resize(most_places - 1);
  }
  std::string key = finding_key(finding);
  if (const auto known = index_.find(key); known != index_.end()) {
    Finding& present = findings_[known->second];
    const uint64_t count = present.count + finding.count;
    if (finding.revised) present = std::move(finding);
    present.revised = false;
    present.count = count;
    return {known->second, false, true};
  }
  size_t& kept = kept_[static_cast<size_t>(finding.severity)];
  if (kept == most_kept) {
    dropped_ += finding.count;
    return {0, true, false};
  }
  ++kept;
  index_.emplace(std::move(key), findings_.size());
  finding.revised = false;
  findings_.push_back(std::move(finding));
  return {findings_.size() - 1, true, true};
}

std::vector<Finding> FindingSet::take() {
  std::vector<Finding> all = std::move(findings_);
  findings_.clear();
  index_.clear();
  kept_ = {};
  return all;
}

size_t FindingSet::count(Severity severity) const {
  return static_cast<size_t>(std::count_if(findings_.begin(), findings_.end(),
                                           [&](const Finding& finding) { return finding.severity == severity; }));
}

size_t Report::count(Severity severity) const {
  return findings.count(severity) +
         static_cast<size_t>(std::count_if(known.begin(), known.end(),
                                           [&](const Finding& finding) { return finding.severity == severity; }));
}

bool Report::complete() const {
  const auto gap = [](const Finding& finding) { return finding.rule == "not-modelled"; };
  return incomplete.empty() && std::none_of(findings.all().begin(), findings.all().end(), gap) &&
         std::none_of(known.begin(), known.end(), gap);
}

Verdict Report::verdict() const {
  if (!error.empty()) return Verdict::Error;
  if (count(Severity::Error) != 0) return Verdict::Findings;
  if (!complete()) return Verdict::Incomplete;
  // Notes inform; they do not spoil a clean run.
  return count(Severity::Warning) != 0 ? Verdict::Findings : Verdict::Clean;
}

namespace {

// A list without repetitions: counts of equal findings add up.
std::vector<Finding> joined(std::vector<Finding> one, std::vector<Finding> two) {
  FindingSet set;
  for (auto* list : {&one, &two})
    for (auto& finding : *list) set.add(std::move(finding));
  return set.take();
}

std::vector<Suppressed> joined(std::vector<Suppressed> one, std::vector<Suppressed> two) {
  FindingSet set;
  std::vector<Suppressed> out;
  for (auto* list : {&one, &two})
    for (auto& entry : *list) {
      const auto added = set.add(entry.finding);
      if (!added.kept) continue;
      if (added.fresh) out.push_back(std::move(entry));
      out[added.index].finding.count = set.all()[added.index].count;
    }
  return out;
}

void append_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const auto& text : from)
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
}

} // namespace

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
  append_new(incomplete, summary.incomplete);
}

void Report::merge(Report other) {
  if (program.empty())
    program = other.program;
  else if ((", " + program + ",").find(", " + other.program + ",") == std::string::npos && program.size() < 1000)
    program += ", " + other.program;
  for (const auto& finding : other.findings.all()) findings.add(finding);
  findings.add_dropped(other.findings.dropped());
  known = joined(std::move(known), std::move(other.known));
  suppressed = joined(std::move(suppressed), std::move(other.suppressed));
  compared |= other.compared;
  append_new(remarks, other.remarks);
  if (error.empty()) error = other.error;
  merge(ProcessSummary{std::move(other.kernels), std::move(other.incomplete)});
}

} // namespace tollgate::report
