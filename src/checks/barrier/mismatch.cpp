#include "checks/barrier/mismatch.h"

#include <algorithm>

namespace tollgate::checks {

using observe::BarrierArrival;
using observe::BarrierKind;
using observe::Finding;
using observe::LaneMask;
using observe::Severity;
using observe::Side;
using observe::SiteId;
using observe::warp_size;

void BarrierMismatch::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  keys_.clear();
  first_.clear();
}

void BarrierMismatch::on_launch_end() { findings_.flush(); }

// No count means all threads of the block, rounded up to whole warps.
uint32_t BarrierMismatch::threads_wanted(uint32_t count) const {
  return count != 0 ? count : (launch_.info().threads_per_block + warp_size - 1) / warp_size * warp_size;
}

const std::string& BarrierMismatch::key_of(SiteId site) {
  const auto [entry, fresh] = keys_.try_emplace(site);
  if (fresh) entry->second = call_key(launch_.place(site), site);
  return entry->second;
}

namespace {

bool reduces(BarrierKind kind) { return kind != BarrierKind::Sync && kind != BarrierKind::Arrive; }

// bar.arrive and bar.sync belong together; bar.red goes only with the same bar.red.
bool kinds_agree(BarrierKind a, BarrierKind b) { return a == b || (!reduces(a) && !reduces(b)); }

std::string kind_name(BarrierKind kind) {
  switch (kind) {
  case BarrierKind::Sync: return "bar.sync";
  case BarrierKind::Arrive: return "bar.arrive";
  case BarrierKind::RedPopc: return "bar.red.popc";
  case BarrierKind::RedAnd: return "bar.red.and";
  case BarrierKind::RedOr: return "bar.red.or";
  }
  return "bar.sync";
}

} // namespace

void BarrierMismatch::on_barrier_arrival(const BarrierArrival& arrival) {
  const auto [entry, fresh] = first_.try_emplace({arrival.block.linear, arrival.barrier}, arrival);
  if (fresh) return;
  const BarrierArrival& first = entry->second;
  if (threads_wanted(first.count) != threads_wanted(arrival.count))
    report_kinds(first, arrival, true);
  else if (!kinds_agree(first.kind, arrival.kind))
    report_kinds(first, arrival, false);
}

void BarrierMismatch::report_kinds(const BarrierArrival& first, const BarrierArrival& second, bool counts) {
  findings_.add({counts ? 1 : 2, first.site, second.site}, [&] {
    Finding finding = launch_.finding("barrier-mismatch", Severity::Error);
    const std::string barrier = "barrier " + std::to_string(first.barrier) + " of " + Launch::block(first.block);
    finding.message =
        counts
            ? barrier + " is used with two thread counts in one phase: " + std::to_string(threads_wanted(first.count)) +
                  " and " + std::to_string(threads_wanted(second.count))
            : barrier + " is used by " + kind_name(first.kind) + " and by " + kind_name(second.kind) + " in one phase";
    finding.help = counts ? "give the same thread count at every call on this barrier, or use another barrier number"
                          : "use another barrier number, or the same kind of barrier for all threads";
    const auto side = [&](const BarrierArrival& arrival) {
      ThreadGroup group;
      group.add(arrival.warp, arrival.mask);
      Side out = launch_.side(arrival.site, arrival.block, group);
      out.role = launch_.threads(group) + " arrive with " + kind_name(arrival.kind) + " for " +
                 std::to_string(threads_wanted(arrival.count)) + " threads";
      return out;
    };
    finding.at = side(first);
    finding.others.push_back(side(second));
    return finding;
  });
}

// PTX ISA, barrier.cluster: a thread arrives and waits in turn; anything else is undefined.
void BarrierMismatch::on_cluster_barrier(const observe::ClusterBarrierEvent& event) {
  if (event.out_of_turn == 0) return;
  const bool arrives = event.op == observe::ClusterBarrierOp::Arrive;
  findings_.add({arrives ? 5 : 6, event.site, 0}, [&] {
    Finding finding = launch_.finding("barrier-mismatch", Severity::Error);
    ThreadGroup group;
    group.add(event.warp, event.out_of_turn);
    finding.message = "threads of " + Launch::block(event.block) +
                      (arrives ? " arrive at the cluster's barrier again before they waited for the phase before"
                               : " wait at the cluster's barrier without having arrived");
    finding.help = "let each thread execute barrier.cluster.arrive and barrier.cluster.wait in turn "
                   "(cluster.sync(), or barrier_arrive() and then barrier_wait())";
    finding.at = launch_.side(event.site, event.block, group);
    finding.at.role = launch_.threads(group) + (arrives ? " arrive here" : " wait here");
    return finding;
  });
}

std::vector<BarrierMismatch::Call> BarrierMismatch::calls_of(const observe::BarrierCompletion& completion) {
  std::vector<Call> calls;
  for (const auto& arrival : completion.arrivals) {
    const std::string& key = key_of(arrival.site);
    auto known = std::find_if(calls.begin(), calls.end(), [&](const Call& call) { return call.key == key; });
    if (known == calls.end()) known = calls.insert(calls.end(), Call{key, arrival.site, {}, false});
    known->threads.add(arrival.warp, arrival.mask);
    known->aligned |= arrival.aligned;
  }
  return calls;
}

void BarrierMismatch::on_barrier_completion(const observe::BarrierCompletion& completion) {
  first_.erase({completion.block.linear, completion.barrier});
  if (completion.barrier != 0 || completion.count != 0 || completion.arrivals.size() < 2) return;
  const SiteId site = completion.arrivals.front().site;
  if (std::all_of(completion.arrivals.begin(), completion.arrivals.end(),
                  [&](const BarrierArrival& arrival) { return arrival.site == site; }))
    return; // by far the commonest case, decided without looking at the source
  const BarrierKind kind = completion.arrivals.front().kind;
  if (!std::all_of(completion.arrivals.begin(), completion.arrivals.end(),
                   [&](const BarrierArrival& arrival) { return kinds_agree(arrival.kind, kind); }))
    return; // reported when they arrived
  const std::vector<Call> calls = calls_of(completion);
  if (calls.size() < 2) return;

  bool split = false;
  for (uint32_t warp = 0; warp < launch_.info().warps_per_block; ++warp) {
    const auto here = [&](const Call& call) { return call.threads.in_warp(warp) != 0; };
    const auto aligned = [&](const Call& call) { return here(call) && call.aligned; };
    split |= std::count_if(calls.begin(), calls.end(), here) > 1 && std::any_of(calls.begin(), calls.end(), aligned);
  }
  report_calls(completion, calls, split);
}

void BarrierMismatch::report_calls(const observe::BarrierCompletion& completion, const std::vector<Call>& calls,
                                   bool split) {
  findings_.add({split ? 3 : 4, calls[0].site, calls[1].site}, [&] {
    Finding finding = launch_.finding("barrier-mismatch", split ? Severity::Error : Severity::Warning);
    const std::string block = Launch::block(completion.block);
    finding.message = split ? "threads of one warp of " + block + " wait at different barrier calls"
                            : "warps of " + block + " met at different barrier calls";
    finding.help = split ? "call one barrier that all threads of the block reach, instead of one in each branch"
                         : "let all warps make the same call; warps that are meant to meet at different calls should "
                           "use a named barrier with a thread count";
    const auto side = [&](const Call& call) {
      Side out = launch_.side(call.site, completion.block, call.threads);
      out.role = launch_.threads(call.threads) + (call.threads.size() == 1 ? " waits here" : " wait here");
      return out;
    };
    finding.at = side(calls.front());
    for (size_t i = 1; i < calls.size(); ++i) finding.others.push_back(side(calls[i]));
    finding.notes.push_back("the hardware counts arrivals and does not compare calls: these threads are released "
                            "together although they stand at different points of the program");
    return finding;
  });
}

} // namespace tollgate::checks
