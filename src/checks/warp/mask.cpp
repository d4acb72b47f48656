#include "checks/warp/mask.h"

#include "base/each_lane.h"
#include "checks/barrier/stuck.h"
#include "checks/warp/missing_lanes.h"

#include <bit>
#include <cstdio>

namespace tollgate::checks {

using observe::Finding;
using observe::LaneMask;
using observe::Severity;
using observe::Side;
using observe::StuckEvent;
using observe::WaitingLanes;
using observe::WaitKind;
using observe::WarpSyncEvent;

namespace {

constexpr const char* help = "compute the mask before the branch with __ballot_sync(), or make the call where every "
                             "thread that the mask names comes by";

enum Kind { Outside, Different, Skipped, Missing };

std::string hex(LaneMask mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

} // namespace

std::string WarpMask::threads(uint32_t warp, LaneMask lanes) const {
  ThreadGroup group;
  group.add(warp, lanes & launch_.lanes_of(warp));
  return launch_.threads(group);
}

std::string WarpMask::doing(uint32_t warp, LaneMask lanes, const char* verb) const {
  ThreadGroup group;
  group.add(warp, lanes & launch_.lanes_of(warp));
  return launch_.doing(group, verb);
}

Side WarpMask::side(observe::SiteId site, const observe::BlockRef& block, uint32_t warp, LaneMask lanes) const {
  ThreadGroup group;
  group.add(warp, lanes);
  return launch_.side(site, block, group);
}

void WarpMask::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    finding.at.threads = spread_text(launch_, spread);
  });
}

void WarpMask::on_warp_sync(const WarpSyncEvent& event) {
  if (event.skipped != 0) return report_skipped(event);
  LaneMask outside = 0, different = 0;
  each_lane(event.mask, [&](unsigned lane) {
    const LaneMask wanted = event.wanted[lane];
    if ((wanted >> lane & 1) == 0) outside |= LaneMask{1} << lane;
    each_lane(wanted & event.mask, [&](unsigned named) {
      if (event.wanted[named] != wanted) different |= LaneMask{1} << lane | LaneMask{1} << named;
    });
  });
  if (outside != 0)
    report_outside(event, outside);
  else if (different != 0)
    report_different(event, different);
}

void WarpMask::report_outside(const WarpSyncEvent& event, LaneMask outside) {
  findings_.add({Outside, event.site, 0}, {event.block, event.warp, outside}, [&] {
    Finding finding = launch_.finding("warp-mask", Severity::Error);
    finding.message = threads(event.warp, outside) + " of " + Launch::block(event.block) +
                      (std::popcount(outside) == 1 ? " makes" : " make") +
                      " a warp operation without being named in the mask";
    finding.help = help;
    finding.at = side(event.site, event.block, event.warp, outside);
    finding.at.role = doing(event.warp, outside, "call") + " with mask " +
                      hex(event.wanted[static_cast<size_t>(std::countr_zero(outside))]);
    return finding;
  });
}

void WarpMask::report_different(const WarpSyncEvent& event, LaneMask lanes) {
  findings_.add({Different, event.site, 0}, {event.block, event.warp, lanes}, [&] {
    Finding finding = launch_.finding("warp-mask", Severity::Error);
    finding.message = "lanes of one warp of " + Launch::block(event.block) +
                      " meet at a warp operation with masks that overlap and are not equal";
    finding.help = "give every thread that the mask names the same mask; parts of a warp that work apart need masks "
                   "without a common lane";
    finding.at = side(event.site, event.block, event.warp, lanes);
    finding.at.role = "called by " + threads(event.warp, lanes);
    for (LaneMask rest = lanes; rest != 0;) {
      const LaneMask mask = event.wanted[static_cast<size_t>(std::countr_zero(rest))];
      LaneMask same = 0;
      each_lane(rest, [&](unsigned lane) { same |= event.wanted[lane] == mask ? LaneMask{1} << lane : 0; });
      finding.notes.push_back(doing(event.warp, same, "give") + " mask " + hex(mask));
      rest &= ~same;
    }
    return finding;
  });
}

void WarpMask::report_skipped(const WarpSyncEvent& event) {
  findings_.add({Skipped, event.site, 0}, {event.block, event.warp, event.mask}, [&] {
    Finding finding = launch_.finding("warp-mask", Severity::Error);
    finding.message = "a warp operation of " + Launch::block(event.block) + " names " +
                      threads(event.warp, event.skipped) + ", which went past it to the end of the kernel";
    finding.help = help;
    finding.at = side(event.site, event.block, event.warp, event.mask);
    finding.at.role = doing(event.warp, event.mask, "wait") + " here with mask " +
                      hex(event.wanted[static_cast<size_t>(std::countr_zero(event.mask))]);
    return finding;
  });
}

// A lane that waits at a warp operation with another mask may itself wait for these: such a pair is one finding.
void WarpMask::on_stuck(const StuckEvent& event) {
  if (event.livelock) return;
  std::set<std::pair<uint32_t, LaneMask>> told; // warp, lanes
  for (const WaitingLanes& waiting : event.waiting) {
    const LaneMask missing = missing_lanes(event, waiting);
    if (missing == 0 || told.contains({waiting.warp, waiting.mask})) continue;
    report_missing(event, waiting, missing);
    for (const WaitingLanes& other : event.waiting)
      if (other.warp == waiting.warp && (other.mask & missing) != 0 &&
          (missing_lanes(event, other) & waiting.mask) != 0)
        told.insert({other.warp, other.mask});
  }
}

void WarpMask::report_missing(const StuckEvent& event, const WaitingLanes& waiting, LaneMask missing) {
  findings_.add({Missing, waiting.site, 0}, [&] {
    Finding finding = launch_.finding("warp-mask", Severity::Error);
    finding.message = "a warp operation of " + Launch::block(event.block) + " waits for " +
                      threads(waiting.warp, missing) + ", which its mask names and which " +
                      (std::popcount(missing) == 1 ? "waits" : "wait") + " elsewhere";
    finding.help = help;
    finding.at = side(waiting.site, event.block, waiting.warp, waiting.mask);
    finding.at.role = doing(waiting.warp, waiting.mask, "wait") + " here with mask " + hex(waiting.wanted);
    for (const WaitingLanes& other : event.waiting) {
      const LaneMask here = other.mask & missing;
      if (other.warp != waiting.warp || here == 0) continue;
      Side where = side(other.site, event.block, other.warp, here);
      where.role =
          doing(other.warp, here, "wait") + " here " +
          (other.kind == WaitKind::WarpBarrier ? "with mask " + hex(other.wanted) : "for all threads of the block");
      finding.others.push_back(std::move(where));
    }
    finding.details = stuck_details(launch_, event);
    return finding;
  });
}

} // namespace tollgate::checks
