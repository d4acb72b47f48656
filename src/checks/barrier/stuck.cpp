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
  const auto describe = [&](const WaitingLanes& lanes) {
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
  };
  std::vector<std::string> out;
  for (const auto& lanes : event.waiting) describe(lanes);
  for (uint32_t warp = 0; warp < event.exited.size(); ++warp) add(warp, event.exited[warp], "left the kernel");
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [first, text] : lines) out.push_back(std::move(text));
  return out;
}

std::string StuckThreads::role(const Wait& wait, const StuckEvent& event, const std::vector<Wait>& all) const {
  std::string who = launch_.doing(wait.threads, "wait");
  switch (wait.like.kind) {
  case WaitKind::Barrier: {
    if (wait.like.count == 0) return who + " here for all threads of the block";
    uint32_t arrived = 0;
    for (const auto& other : all)
      if (other.like.kind == WaitKind::Barrier && other.like.barrier == wait.like.barrier &&
          other.block.linear == wait.block.linear)
        arrived += other.threads.size();
    return who + " here at barrier " + std::to_string(wait.like.barrier) + " for " + std::to_string(wait.like.count) +
           " threads, and " + (arrived == 1 ? "only 1 has" : "only " + std::to_string(arrived) + " have") + " come";
  }
  case WaitKind::WarpBarrier: {
    const LaneMask exited = wait.like.warp < event.exited.size() ? event.exited[wait.like.warp] : 0;
    ThreadGroup missing;
    missing.add(wait.like.warp, wait.like.wanted & ~wait.threads.in_warp(wait.like.warp) & ~exited);
    return missing.empty() ? who + " here at a warp barrier" : who + " here for " + launch_.threads(missing);
  }
  case WaitKind::ClusterBarrier: return who + " here for all threads of the cluster";
  case WaitKind::Mbarrier: return who + " here at an mbarrier object";
  case WaitKind::Spin: return launch_.doing(wait.threads, "spin") + " here";
  case WaitKind::Sleep: return launch_.doing(wait.threads, "sleep") + " here";
  }
  return who;
}

// Blocks that do the same at the same place are one line.
void StuckThreads::gather(std::vector<Wait>& waits, const observe::BlockRef& block,
                          const std::vector<WaitingLanes>& waiting) {
  for (const auto& lanes : waiting) {
    auto known = std::find_if(waits.begin(), waits.end(), [&](const Wait& wait) { return alike(wait.like, lanes); });
    if (known == waits.end()) known = waits.insert(waits.end(), Wait{lanes, block, {}, {}});
    if (known->block.linear == block.linear)
      known->threads.add(lanes.warp, lanes.mask);
    else if (known->more_blocks.empty() || known->more_blocks.back().linear != block.linear)
      known->more_blocks.push_back(block);
  }
}

namespace {

// "block (0,0,0)", "blocks (0,0,0), (1,0,0) and 14 more"
std::string blocks_text(const observe::BlockRef& first, const std::vector<observe::BlockRef>& more) {
  constexpr size_t most = 4;
  if (more.empty()) return Launch::block(first);
  const auto index = [](const observe::BlockRef& block) {
    return Launch::block(block).substr(std::string("block ").size());
  };
  const size_t named = more.size() > most ? most - 1 : more.size();
  std::string text = "blocks " + index(first);
  for (size_t i = 0; i < named; ++i) text += (i + 1 == more.size() ? " and " : ", ") + index(more[i]);
  return named == more.size() ? text : text + " and " + digits(more.size() - named) + " more";
}

std::string message(const StuckEvent& event) {
  if (!event.livelock)
    return std::string("no thread of ") + (event.others.empty() ? "" : "the cluster of ") + Launch::block(event.block) +
           " can go on: each waits for one that will not come";
  std::vector<observe::BlockRef> more;
  for (const auto& other : event.others) more.push_back(other.block);
  return "threads of " + blocks_text(event.block, more) + " spin on a value that no thread left can change";
}

constexpr const char* livelock_help =
    "make sure that every lock is released on every path, that locks are always taken in the same order, and that "
    "whoever sets the value runs at the same time";
constexpr const char* deadlock_help = "let all threads that a barrier counts on reach it, and give each barrier the "
                                      "number of threads that really come";

} // namespace

void StuckThreads::on_stuck(const StuckEvent& event) {
  if (waits_for_lanes(event)) return;   // warp-mask says it
  if (waits_at_mbarrier(event)) return; // mbarrier-misuse does
  std::vector<Wait> waits;
  gather(waits, event.block, event.waiting);
  for (const auto& other : event.others) gather(waits, other.block, other.waiting);
  Finding finding = launch_.finding(event.livelock ? "livelock" : "deadlock", Severity::Error);
  finding.message = message(event);
  finding.help = event.livelock ? livelock_help : deadlock_help;
  // Spinning threads are where a livelock is, even if others wait at a barrier meanwhile.
  if (event.livelock)
    std::stable_partition(waits.begin(), waits.end(),
                          [](const Wait& wait) { return wait.like.kind == WaitKind::Spin; });
  for (size_t i = 0; i < waits.size(); ++i) {
    const Wait& wait = waits[i];
    Side side = launch_.side(wait.like.site, wait.block, wait.threads);
    if (!wait.more_blocks.empty())
      side.threads = launch_.threads(wait.threads) + " of " + blocks_text(wait.block, wait.more_blocks);
    side.role = role(wait, event, waits);
    if (!event.others.empty()) side.role += ", " + blocks_text(wait.block, wait.more_blocks);
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
  const auto note_polled = [&](const std::vector<WaitingLanes>& waiting) {
    for (const auto& lanes : waiting)
      if (lanes.polled != 0 && polled.size() < 8)
        polled.insert(launch_.object(memory_.lookup(lanes.polled), lanes.polled));
  };
  note_polled(event.waiting);
  for (const auto& other : event.others) note_polled(other.waiting);
  for (const auto& object : polled) finding.notes.push_back("read again and again: " + object);
  if (event.not_started != 0)
    finding.notes.push_back(digits(event.not_started) +
                            (event.not_started == 1 ? " block of the grid has" : " blocks of the grid have") +
                            " not started: if it is waited for, launch cooperatively, or let blocks take their "
                            "numbers from a counter");
  finding.details = stuck_details(launch_, event);
  for (const observe::StuckBlock& other : event.others)
    for (const std::string& line : stuck_details(launch_, other))
      finding.details.push_back(Launch::block(other.block) + ", " + line);
  sink_.report(std::move(finding));
}

} // namespace tollgate::checks
