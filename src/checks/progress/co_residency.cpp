#include "checks/progress/co_residency.h"

#include <bit>
#include <cstring>

namespace tollgate::checks {

using observe::AccessKind;
using observe::AllocationInfo;
using observe::Finding;
using observe::LaneMask;
using observe::MemoryEvent;
using observe::Severity;

namespace {

constexpr size_t most_watched = 1 << 16; // addresses; beyond it findings may be missed

} // namespace

void CoResidency::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  const uint64_t blocks = uint64_t{info.grid[0]} * info.grid[1] * info.grid[2];
  room_ = blocks > info.resident_blocks ? info.resident_blocks : 0; // 0: nothing to watch
  live_ = 0;
  beyond_.clear();
  watched_.clear();
}

void CoResidency::on_block_begin(const observe::BlockRef& block) {
  if (++live_ > room_ && room_ != 0) beyond_.insert(block.linear);
}

void CoResidency::on_block_end(const observe::BlockRef& block) {
  if (live_ != 0) --live_;
  beyond_.erase(block.linear);
}

uint64_t CoResidency::value_at(uint64_t address, uint32_t bytes) const {
  uint64_t value = 0;
  if (memory_.contains(address, bytes))
    if (const void* at = memory_.bytes_at(address)) std::memcpy(&value, at, bytes);
  return value;
}

void CoResidency::on_memory(const MemoryEvent& event) {
  if (room_ == 0 || live_ < room_ || event.bytes > sizeof(uint64_t)) return;
  if (event.space == observe::MemorySpace::Shared || event.space == observe::MemorySpace::Local) return;
  const Access access{event.block, event.warp, event.mask, event.site};
  const bool beyond = beyond_.contains(event.block.linear);
  for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto known = watched_.find(event.address[std::countr_zero(rest)]);
    if (known == watched_.end()) continue;
    Watched& watched = known->second;
    const uint64_t now = value_at(known->first, watched.bytes);
    if (now != watched.value) {
      watched.value = now;
      watched.changed = watched.beyond;
      watched.changed_by = watched.writer;
    }
    if (event.kind == AccessKind::Load) continue;
    watched.writer = access;
    watched.beyond = beyond;
  }
  if (event.kind != AccessKind::Store && !beyond) poll(access, event);
}

// A block that has its place on the device reads, while all the others there do the same.
void CoResidency::poll(const Access& access, const MemoryEvent& event) {
  for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = event.address[std::countr_zero(rest)];
    const auto known = watched_.find(address);
    if (known != watched_.end()) {
      if (known->second.changed) report(access, known->second.changed_by, address);
      continue;
    }
    // The host may write the rest itself.
    const AllocationInfo::Kind kind = memory_.lookup(address).kind;
    if (kind != AllocationInfo::Kind::Global && kind != AllocationInfo::Kind::ModuleVariable) continue;
    if (watched_.size() < most_watched)
      watched_[address] = {event.bytes, value_at(address, event.bytes), {}, false, {}, false};
  }
}

void CoResidency::report(const Access& waiting, const Access& writer, uint64_t address) {
  if (launch_.cluster_of(waiting.block.linear) == launch_.cluster_of(writer.block.linear)) return; // always together
  findings_.add({0, waiting.site, writer.site}, [&] {
    const auto group = [](const Access& access) {
      ThreadGroup threads;
      threads.add(access.warp, access.mask);
      return threads;
    };
    Finding finding = launch_.finding("needs-co-residency", Severity::Warning);
    finding.message = Launch::block(waiting.block) + " waits for " + Launch::block(writer.block) +
                      ", which a device might not have started: it holds " + digits(room_) +
                      " such blocks at a time, and all of them waited";
    finding.help = "launch with cudaLaunchCooperativeKernel, wait only for blocks that took an earlier number from a "
                   "counter, or end the kernel and start another";
    finding.at = launch_.side(waiting.site, waiting.block, group(waiting));
    finding.at.object = launch_.object(memory_.lookup(address), address);
    finding.at.role = finding.at.threads + " read this again and again";
    observe::Side other = launch_.side(writer.site, writer.block, group(writer));
    other.role = other.threads + " changed the value";
    finding.others.push_back(std::move(other));
    return finding;
  });
}

} // namespace tollgate::checks
