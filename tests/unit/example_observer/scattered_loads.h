// The example of docs/add-a-checker.md: a whole checker. The document shows what stands between the marks.
#pragma once

// [docs/add-a-checker.md]
#include "observe/observer.h"

#include <bit>
#include <set>

// Notes each global load whose lanes touch more than twice the 128-byte lines that their bytes would fill.
class ScatteredLoads final : public tollgate::observe::Observer {
public:
  ScatteredLoads(tollgate::observe::FindingSink& sink, const tollgate::observe::MemoryMap& memory)
      : Observer(sink, memory) {}

  tollgate::observe::EventSet events() const override { return tollgate::observe::MemoryEvents; }
  void on_launch(const tollgate::observe::LaunchInfo& info) override { launch_ = info; }
  void on_memory(const tollgate::observe::MemoryEvent& event) override {
    using namespace tollgate::observe;
    if (event.kind != AccessKind::Load || event.mask == 0 || reported_.contains(event.site)) return;
    if (memory_.lookup(event.address[std::countr_zero(event.mask)]).kind != AllocationInfo::Kind::Global) return;
    std::set<uint64_t> lines;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
      lines.insert(event.address[std::countr_zero(rest)] / 128);
    const uint64_t needed = (std::popcount(event.mask) * uint64_t{event.bytes} + 127) / 128;
    if (lines.size() <= 2 * needed) return;
    reported_.insert(event.site);
    Finding finding;
    finding.rule = "scattered-load";
    finding.severity = Severity::Note;
    finding.message = "one load of a warp touches " + std::to_string(lines.size()) + " lines of 128 bytes";
    finding.help = "let neighbouring lanes read neighbouring elements";
    finding.kernel = launch_.kernel_demangled;
    if (launch_.sites) finding.at.at = launch_.sites->place(event.site);
    sink_.report(std::move(finding));
  }

private:
  tollgate::observe::LaunchInfo launch_;
  std::set<tollgate::observe::SiteId> reported_;
};
// [end]
