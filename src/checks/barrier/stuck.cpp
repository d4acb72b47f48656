#include "checks/barrier/stuck.h"

#include "checks/mbarrier/misuse.h"
#include "checks/thread_set.h"
#include "checks/warp/missing_lanes.h"

#include <algorithm>
#include <set>

namespace tollgate::checks {

using observe::Finding;
using observe::LaneMask;
using observe::Severity;
using observe::Side;
using observe::StuckEvent;
using observe::WaitingLanes;
using observe::WaitKind;

namespace {

bool alike(const WaitingLanes& a, const WaitingLanes& b) {
  const bool same = a.kind == b.kind && a.site == b.site && a.barrier == b.barrier && a.count == b.count;
  // A warp barrier belongs to one warp: what it waits for is said warp by warp.
  return same && (a.kind != WaitKind::WarpBarrier || (a.warp == b.warp && a.wanted == b.wanted));
}

} // namespace

std::vector<std::string> stuck_details(const Launch& launch, const observe::StuckBlock& event) {
  constexpr size_t all_ranges = observe::warp_size;
  std::vector<std::pair<uint32_t, std::string>> lines; // by the first thread
  const auto add = [&](uint32_t warp, LaneMask mask, const std::string& what) {
    ThreadGroup group;
    group.add(warp, mask & launch.lanes_of(warp));
    if (!group.empty())
      lines.emplace_back(group.linear().front(),
                         thread_set(group.linear(), launch.info().block, all_ranges) + ": " + what);
  };
  for (const auto& lanes : event.waiting) {
    std::string what = "sleeping";
    if (lanes.kind == WaitKind::Spin) what = "spinning";
    if (lanes.kind == WaitKind::Mbarrier) what = "waiting at an mbarrier object";
    if (lanes.kind == WaitKind::ClusterBarrier)
      what = "waiting at the cluster's barrier for all threads of the cluster";
    if (lanes.kind == WaitKind::Barrier)
      what = "waiting at barrier " + std::to_string(lanes.barrier) + " for " +
             (lanes.count == 0 ? "all threads of the block" : std::to_string(lanes.count) + " threads");
    if (lanes.kind == WaitKind::WarpBarrier) {
      ThreadGroup wanted;
      wanted.add(lanes.warp, lanes.wanted & launch.lanes_of(lanes.warp));
      what = "waiting at a warp barrier of " + thread_set(wanted.linear(), launch.info().block, all_ranges);
    }
    add(lanes.warp, lanes.mask, what + ", " + launch.where(lanes.site));
  }
  for (uint32_t warp = 0; warp < event.exited.size(); ++warp) add(warp, event.exited[warp], "left the kernel");
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [first, text] : lines) out.push_back(std::move(text));
  return out;
}

std::string StuckThreads::role(const Wait& wait, const StuckEvent& event, const std::vector<Wait>& all) const {
  const bool one = wait.threads.size() == 1;
  const std::string who = launch_.threads(wait.threads) + (one ? " waits" : " wait");
  switch (wait.like.kind) {
  case WaitKind::Barrier: {
    if (wait.like.count == 0) return who + " here for all threads of the block";
    uint32_t arrived = 0;
    for (const auto& other : all)
      if (other.like.kind == WaitKind::Barrier && other.like.barrier == wait.like.barrier)
        arrived += other.threads.size();
    return who + " here at barrier " + std::to_string(wait.like.barrier) + " for " + std::to_string(wait.like.count) +
           " threads; " + std::to_string(arrived) + " wait there";
  }
  case WaitKind::WarpBarrier: {
    const LaneMask exited = wait.like.warp < event.exited.size() ? event.exited[wait.like.warp] : 0;
    ThreadGroup missing;
    missing.add(wait.like.warp, wait.like.wanted & ~wait.threads.in_warp(wait.like.warp) & ~exited);
    return missing.empty() ? who + " here at a warp barrier" : who + " here for " + launch_.threads(missing);
  }
  case WaitKind::ClusterBarrier: return who + " here for all threads of the cluster";
  case WaitKind::Mbarrier: return who + " here at an mbarrier object";
  case WaitKind::Spin: return launch_.threads(wait.threads) + (one ? " spins here" : " spin here");
  case WaitKind::Sleep: return launch_.threads(wait.threads) + (one ? " sleeps here" : " sleep here");
  }
  return who;
}

void StuckThreads::on_stuck(const StuckEvent& event) {
  if (waits_for_lanes(event)) return;   // warp-mask says it
  if (waits_at_mbarrier(event)) return; // mbarrier-misuse does
  std::vector<Wait> waits;
  for (const auto& lanes : event.waiting) {
    auto known = std::find_if(waits.begin(), waits.end(), [&](const Wait& wait) { return alike(wait.like, lanes); });
    if (known == waits.end()) known = waits.insert(waits.end(), Wait{lanes, {}});
    known->threads.add(lanes.warp, lanes.mask);
  }
  const std::string block = Launch::block(event.block);
  Finding finding = launch_.finding(event.livelock ? "livelock" : "deadlock", Severity::Error);
  const std::string whose = (event.others.empty() ? "" : "the cluster of ") + block;
  finding.message = event.livelock ? "threads of " + block + " spin on a value that no thread left can change"
                                   : "no thread of " + whose + " can go on: each waits for one that will not come";
  finding.help = event.livelock
                     ? "make sure that every lock is released on every path, that locks are always taken in the same "
                       "order, and that whoever sets the value runs at the same time"
                     : "let all threads that a barrier counts on reach it, and give each barrier the number of threads "
                       "that really come";
  // Spinning threads are where a livelock is, even if others wait at a barrier meanwhile.
  if (event.livelock)
    std::stable_partition(waits.begin(), waits.end(),
                          [](const Wait& wait) { return wait.like.kind == WaitKind::Spin; });
  for (size_t i = 0; i < waits.size(); ++i) {
    Side side = launch_.side(waits[i].like.site, event.block, waits[i].threads);
    side.role = role(waits[i], event, waits);
    if (i == 0)
      finding.at = std::move(side);
    else
      finding.others.push_back(std::move(side));
  }
  ThreadGroup exited;
  for (uint32_t warp = 0; warp < event.exited.size(); ++warp)
    exited.add(warp, event.exited[warp] & launch_.lanes_of(warp));
  if (!exited.empty()) finding.notes.push_back(launch_.threads(exited) + " had left the kernel");
  std::set<std::string> polled;
  for (const auto& lanes : event.waiting)
    if (lanes.polled != 0) polled.insert(launch_.object(memory_.lookup(lanes.polled), lanes.polled));
  for (const auto& object : polled) finding.notes.push_back("read again and again: " + object);
  if (event.not_started != 0)
    finding.notes.push_back(digits(event.not_started) +
                            " blocks of the grid have not started: if they are waited for, launch "
                            "cooperatively, or let blocks take their numbers from a counter");
  finding.details = stuck_details(launch_, event);
  for (const observe::StuckBlock& other : event.others)
    for (const std::string& line : stuck_details(launch_, other))
      finding.details.push_back(Launch::block(other.block) + ", " + line);
  sink_.report(std::move(finding));
}

} // namespace tollgate::checks
