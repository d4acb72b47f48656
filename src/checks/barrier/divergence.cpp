#include "checks/barrier/divergence.h"

#include <algorithm>

namespace tollgate::checks {

using observe::Finding;
using observe::LaneMask;
using observe::Severity;
using observe::Side;
using observe::SiteId;

void BarrierDivergence::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  blocks_.clear();
  current_ = nullptr;
}

void BarrierDivergence::on_launch_end() {
  findings_.flush();
  blocks_.clear();
  spare_.clear();
  current_ = nullptr;
}

void BarrierDivergence::on_block_end(const observe::BlockRef& block) {
  current_ = nullptr;
  if (auto gone = blocks_.extract(block.linear)) {
    gone.mapped().clear();
    spare_.push_back(std::move(gone));
  }
}

BarrierDivergence::BlockState& BarrierDivergence::of(uint64_t block) {
  if (current_ != nullptr && current_block_ == block) return *current_;
  auto known = blocks_.find(block);
  if (known == blocks_.end() && spare_.empty()) {
    known = blocks_.try_emplace(block).first;
  } else if (known == blocks_.end()) {
    spare_.back().key() = block;
    known = blocks_.insert(std::move(spare_.back())).position;
    spare_.pop_back();
  }
  current_ = &known->second;
  current_block_ = block;
  return *current_;
}

void BarrierDivergence::on_block_barrier(const observe::BlockBarrier& barrier) {
  auto& met = of(barrier.block.linear).met_by_all;
  if (std::find(met.begin(), met.end(), barrier.site) == met.end()) met.push_back(barrier.site);
}

void BarrierDivergence::on_barrier_arrival(const observe::BarrierArrival& arrival) {
  if (arrival.count == 0) of(arrival.block.linear).met[arrival.site].add(arrival.warp, arrival.mask);
}

void BarrierDivergence::leave(BlockState& state, const observe::ExitEvent& event, LaneMask mask, bool fell_off) {
  if (mask == 0) return;
  auto& all = state.departures;
  auto known = std::find_if(all.begin(), all.end(), [&](const Departure& departure) {
    return departure.site == event.site && departure.fell_off == fell_off;
  });
  if (known == all.end()) known = all.insert(all.end(), Departure{event.site, fell_off, {}});
  known->threads.add(event.warp, mask);
}

void BarrierDivergence::on_exit(const observe::ExitEvent& event) {
  // Optimised code cannot tell the two ways apart: every exit then counts as an early return, the milder reading.
  const LaneMask fell_off = launch_.info().unoptimised ? event.fell_off_end & event.mask : 0;
  BlockState& state = of(event.block.linear);
  leave(state, event, fell_off, true);
  leave(state, event, event.mask & ~fell_off, false);
}

void BarrierDivergence::on_barrier_completion(const observe::BarrierCompletion& completion) {
  // A barrier with a thread count asks for that many threads and nobody else.
  if (completion.count != 0 || completion.arrivals.empty()) return;
  if (std::none_of(completion.exited.begin(), completion.exited.end(), [](LaneMask mask) { return mask != 0; })) return;
  const BlockState& state = of(completion.block.linear);
  for (const bool fell_off : {true, false})
    if (std::any_of(state.departures.begin(), state.departures.end(),
                    [&](const Departure& departure) { return departure.fell_off == fell_off; }))
      report(completion, state, fell_off);
}

namespace {

struct Waiting {
  SiteId site = 0;
  ThreadGroup threads;
};

std::vector<Waiting> waiting_by_site(const observe::BarrierCompletion& completion) {
  std::vector<Waiting> groups;
  for (const auto& arrival : completion.arrivals) {
    auto known = std::find_if(groups.begin(), groups.end(), [&](const Waiting& w) { return w.site == arrival.site; });
    if (known == groups.end()) known = groups.insert(groups.end(), Waiting{arrival.site, {}});
    known->threads.add(arrival.warp, arrival.mask);
  }
  return groups;
}

constexpr const char* divergent_help =
    "move the barrier to where every thread of the block passes it equally often: keep the work inside the branch or "
    "loop and put __syncthreads() behind it";
constexpr const char* divergent_rule_note =
    "a barrier may stand in conditional code only if the condition is the same for all threads of the block; otherwise "
    "a GPU may hang here, or release the barrier early, depending on what else the block does";
constexpr const char* early_help =
    "let every thread reach the barrier: instead of returning early, guard the work before and after the barrier with "
    "`if`";
constexpr const char* optimised_note =
    "this device code is optimised, and then a `return` before the barrier and a barrier inside a branch look the "
    "same: "
    "the source decides. If the barrier stands in a branch or loop, this is barrier-divergent, an error";

} // namespace

void BarrierDivergence::report(const observe::BarrierCompletion& completion, const BlockState& state, bool fell_off) {
  const std::vector<Waiting> waiting = waiting_by_site(completion);
  const auto first_departure = std::find_if(state.departures.begin(), state.departures.end(),
                                            [&](const Departure& d) { return d.fell_off == fell_off; });
  const SiteId barrier_site = waiting.front().site;

  findings_.add({fell_off, barrier_site, first_departure->site}, [&] {
    uint32_t waits = 0, gone = 0;
    for (const auto& group : waiting) waits += group.threads.size();
    for (const auto& departure : state.departures)
      if (departure.fell_off == fell_off) gone += departure.threads.size();

    const std::string block = Launch::block(completion.block);
    const std::string total = std::to_string(launch_.info().threads_per_block);
    Finding finding = launch_.finding(fell_off ? "barrier-divergent" : "barrier-early-exit",
                                      fell_off ? Severity::Error : Severity::Warning);
    finding.message = std::to_string(waits) + " of the " + total + " threads of " + block +
                      (fell_off ? " wait at a barrier that " + std::to_string(gone) + " others went past"
                                : " met at a barrier after " + std::to_string(gone) + " others had left the kernel");
    finding.help = fell_off ? divergent_help : early_help;

    const auto wait_side = [&](const Waiting& group) {
      Side side = launch_.side(group.site, completion.block, group.threads);
      side.role = launch_.doing(group.threads, "wait") + " here";
      return side;
    };
    finding.at = wait_side(waiting.front());
    for (size_t i = 1; i < waiting.size(); ++i) finding.others.push_back(wait_side(waiting[i]));

    bool met_before = std::ranges::find(state.met_by_all, barrier_site) != state.met_by_all.end();
    for (const auto& departure : state.departures) {
      if (departure.fell_off != fell_off) continue;
      Side side = launch_.side(departure.site, completion.block, departure.threads);
      side.role = launch_.threads(departure.threads) +
                  (fell_off ? " reached the end of the kernel here without it" : " left the kernel here");
      finding.others.push_back(std::move(side));
      if (const auto met = state.met.find(barrier_site); met != state.met.end())
        for (const uint32_t thread : departure.threads.linear())
          met_before |= ((met->second.in_warp(thread / observe::warp_size) >> (thread % observe::warp_size)) & 1) != 0;
    }
    if (met_before)
      finding.notes.push_back("threads that left had met this barrier before, but fewer times than those that wait: "
                              "the trip counts of a loop around it differ");
    if (fell_off)
      finding.notes.push_back(divergent_rule_note);
    else if (!launch_.info().unoptimised)
      finding.notes.push_back(optimised_note);
    else
      finding.notes.push_back("exited threads do not hold a barrier up since Volta; earlier devices and code that "
                              "counts on all threads may hang or go wrong");
    return finding;
  });
}

} // namespace tollgate::checks
