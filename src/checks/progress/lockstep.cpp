#include "checks/progress/lockstep.h"

#include <bit>

namespace tollgate::checks {

using observe::AccessKind;
using observe::Finding;
using observe::LaneMask;
using observe::MemoryEvent;
using observe::Severity;

void LockstepHazard::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  blocks_.clear();
}

void LockstepHazard::on_block_end(const observe::BlockRef& block) { blocks_.erase(block.linear); }

void LockstepHazard::on_give_way(const observe::GiveWayEvent& event) {
  Warp& warp = blocks_[event.block.linear][event.warp];
  warp.gave_way |= event.mask;
  warp.when = ++now_;
}

void LockstepHazard::on_memory(const MemoryEvent& event) {
  const bool reads =
      event.kind == AccessKind::Atomic || (event.kind == AccessKind::Load && event.order != observe::Order::Weak);
  if (!reads && event.kind == AccessKind::Load) return;
  Warp& warp = blocks_[event.block.linear][event.warp];
  ++now_;
  const LaneMask waiting = warp.gave_way & ~event.mask;
  for (LaneMask rest = event.mask; rest != 0 && waiting != 0 && event.kind != AccessKind::Load; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const uint64_t address = event.address[lane];
    // Who read it itself since they gave way came by another way than they did: a lock that is taken twice.
    if (warp.lanes[lane].address == address && warp.lanes[lane].when > warp.when) continue;
    LaneMask for_it = 0;
    for (LaneMask left = waiting; left != 0; left &= left - 1) {
      const auto& other = warp.lanes[static_cast<size_t>(std::countr_zero(left))];
      if (other.address == address && other.site != event.site) for_it |= left & -left;
    }
    if (for_it != 0) report(event, warp, for_it, address);
  }
  warp.gave_way &= ~event.mask;
  for (LaneMask rest = reads ? event.mask : 0; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    warp.lanes[lane] = {event.address[lane], event.site, now_};
  }
}

void LockstepHazard::report(const MemoryEvent& event, const Warp& warp, LaneMask waiting, uint64_t address) {
  const observe::SiteId site = warp.lanes[static_cast<size_t>(std::countr_zero(waiting))].site;
  findings_.add({0, site, event.site}, [&] {
    ThreadGroup spinning, writing;
    spinning.add(event.warp, waiting);
    writing.add(event.warp, event.mask);
    Finding finding = launch_.finding("lockstep-hazard", Severity::Note);
    finding.message = "lanes of one warp of " + Launch::block(event.block) +
                      " spin until another lane of it writes: this needs "
                      "independent thread scheduling (Volta and later)";
    finding.help = "take and release the lock within one trip of the loop, or let one lane act for its warp";
    finding.at = launch_.side(site, event.block, spinning);
    finding.at.object = launch_.object(memory_.lookup(address), address);
    finding.at.role = launch_.threads(spinning) + (spinning.size() == 1 ? " spins here" : " spin here");
    observe::Side other = launch_.side(event.site, event.block, writing);
    other.role = launch_.threads(writing) + " ends the wait here";
    finding.others.push_back(std::move(other));
    return finding;
  });
}

} // namespace tollgate::checks
