#include "report/judge.h"

#include "report/fingerprint.h"
#include "report/place.h"
#include "report/style.h"

#include <algorithm>
#include <set>

namespace tollgate::report {

using observe::Finding;

namespace {

constexpr size_t most_remarks = 20; // of one kind

class Judge {
public:
  Judge(Decisions decisions, Report& report, SourceCache& sources)
      : decisions_(std::move(decisions)), report_(report), sources_(sources) {}

  void run() {
    report_.compared |= decisions_.baseline.has_value();
    for (Finding& finding : report_.findings.take()) {
      if (by_comment(finding) || by_file(finding)) continue;
      if (is_known(finding))
        report_.known.push_back(std::move(finding));
      else
        report_.findings.add(std::move(finding));
    }
    remark_on_stale_entries();
    remark_on_absent();
    // What was counted only may hold findings that nobody accepted.
    if (report_.findings.dropped() != 0 && report_.suppressed.size() + report_.known.size() != 0)
      report_.incomplete.push_back("more different findings than a report holds: those left out were compared with no "
                                   "suppression and no baseline");
  }

private:
  void remark(std::string text) {
    if (said_.insert(text).second) report_.remarks.push_back(std::move(text));
  }

  // A comment counts on the line of a place and, if nothing else stands there, on the line above it.
  bool by_comment(Finding& finding) {
    std::vector<const observe::Side*> sides{&finding.at};
    for (const auto& other : finding.others) sides.push_back(&other);
    for (const observe::Side* side : sides) {
      if (!has_line(side->at)) continue;
      const observe::SourceFrame& frame = side->at.stack[shown_frame(side->at)];
      for (const unsigned number : {frame.line, frame.line - 1})
        if (const auto allowance = allowance_at(frame.file, number, number != frame.line))
          if (std::find(allowance->rules.begin(), allowance->rules.end(), finding.rule) != allowance->rules.end()) {
            report_.suppressed.push_back({finding, true, frame.file + ":" + std::to_string(number), allowance->reason});
            return true;
          }
    }
    return false;
  }

  std::optional<Allowance> allowance_at(const std::string& file, unsigned number, bool alone) {
    const auto line = sources_.line(file, number);
    if (!line || line->find("tollgate:") == std::string::npos) return std::nullopt;
    if (alone && line->find_first_not_of(" \t") != line->find("//")) return std::nullopt;
    auto parsed = parse_allowance(*line, decisions_.rules);
    if (parsed) return *parsed;
    parsed.error().file = file;
    parsed.error().position.line = number;
    remark("a comment that cannot be understood suppresses nothing: " + parsed.error().to_string());
    return std::nullopt;
  }

  bool by_file(Finding& finding) {
    bool taken = false;
    // All entries that match are in use: none of them is stale.
    for (Suppression& entry : decisions_.suppressions)
      if (entry.matches(finding)) {
        ++entry.used;
        if (!taken) report_.suppressed.push_back({finding, false, entry.origin, entry.reason});
        taken = true;
      }
    return taken;
  }

  bool is_known(const Finding& finding) {
    if (!decisions_.baseline) return false;
    const auto entry = decisions_.baseline->known.find(fingerprint(finding, sources_));
    if (entry == decisions_.baseline->known.end() || entry->second == 0) return false;
    --entry->second;
    return true;
  }

  void remark_on_stale_entries() {
    size_t stale = 0;
    for (const Suppression& entry : decisions_.suppressions)
      if (entry.used == 0 && ++stale <= most_remarks)
        remark(entry.origin + ": this suppression of " + entry.rule +
               " matched nothing in this run: remove it if that stays so");
    if (stale > most_remarks) remark(std::to_string(stale - most_remarks) + " more suppressions matched nothing");
  }

  void remark_on_absent() {
    if (!decisions_.baseline) return;
    unsigned absent = 0;
    for (const auto& [print, left] : decisions_.baseline->known) absent += left;
    if (absent != 0)
      remark(counted(absent, "finding") + " of the baseline " + decisions_.baseline->name +
             " did not show in this run");
  }

  Decisions decisions_;
  Report& report_;
  SourceCache& sources_;
  std::set<std::string> said_;
};

} // namespace

void apply(Decisions decisions, Report& report, SourceCache& sources) {
  Judge(std::move(decisions), report, sources).run();
}

} // namespace tollgate::report
