#include "checks/barrier/count.h"

namespace tollgate::checks {

using observe::BarrierArrival;
using observe::BarrierKind;
using observe::Finding;
using observe::Severity;
using observe::warp_size;

void BarrierCount::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  arrived_.clear();
}

void BarrierCount::on_launch_end() { findings_.flush(); }

void BarrierCount::on_barrier_arrival(const BarrierArrival& arrival) {
  if (const auto known = arrived_.find({arrival.block.linear, arrival.barrier}); known != arrived_.end())
    for (const BarrierArrival& before : known->second)
      if (before.warp == arrival.warp && (before.mask & arrival.mask) != 0)
        report(arrival, Twice,
               "a warp comes to barrier " + std::to_string(arrival.barrier) +
                   " again before its arrival there was waited for",
               "a device counts the warp twice and releases the others early: wait for the consumers, at another "
               "barrier, before arriving again");
  if (arrival.kind == BarrierKind::Arrive) arrived_[{arrival.block.linear, arrival.barrier}].push_back(arrival);
  if (arrival.named > 15)
    report(arrival, Number,
           "there is no barrier " + std::to_string(arrival.named) + ": a block has 16, numbered from 0 to 15",
           "compute a number below 16; which barrier a device takes instead is not defined (PTX ISA, barrier)");
  if (arrival.count == 0) return;
  const uint32_t threads = launch_.info().threads_per_block;
  const uint32_t rounded = (threads + warp_size - 1) / warp_size * warp_size;
  const std::string count = std::to_string(arrival.count);
  if (arrival.count % warp_size != 0)
    report(arrival, Count,
           "barrier " + std::to_string(arrival.barrier) + " asks for " + count +
               " threads, which is no multiple of the warp size of 32",
           "whole warps take part in a barrier: use " +
               std::to_string(arrival.count / warp_size * warp_size + warp_size));
  else if (arrival.count > rounded)
    report(arrival, Count,
           "barrier " + std::to_string(arrival.barrier) + " asks for " + count + " threads, but the block has only " +
               std::to_string(threads),
           "use at most " + std::to_string(rounded) + ", or launch larger blocks");
}

void BarrierCount::on_barrier_completion(const observe::BarrierCompletion& completion) {
  arrived_.erase({completion.block.linear, completion.barrier});
}

void BarrierCount::on_block_end(const observe::BlockRef& block) {
  auto entry = arrived_.lower_bound({block.linear, 0});
  while (entry != arrived_.end() && entry->first.first == block.linear) {
    const BarrierArrival& last = entry->second.back();
    report(last, Dangling,
           "the block ended with an arrival at barrier " + std::to_string(last.barrier) + " that nobody waited for",
           "leave the last arrival out, or let the consumers wait once more");
    entry = arrived_.erase(entry);
  }
}

void BarrierCount::report(const BarrierArrival& arrival, Kind kind, std::string message, std::string help) {
  findings_.add({kind, arrival.site, arrival.count}, [&] {
    Finding finding = launch_.finding("barrier-count", kind == Dangling ? Severity::Note : Severity::Error);
    finding.message = std::move(message);
    finding.help = std::move(help);
    ThreadGroup group;
    group.add(arrival.warp, arrival.mask);
    finding.at = launch_.side(arrival.site, arrival.block, group);
    finding.at.role = launch_.doing(group, "arrive") + " here";
    return finding;
  });
}

} // namespace tollgate::checks
