#include "checks/support.h"

#include "checks/thread_set.h"
#include "observe/own_line.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks {

using observe::LaneMask;
using observe::warp_size;

void ThreadGroup::add(uint32_t warp, LaneMask mask) {
  if (mask == 0) return;
  auto at = warps_.empty() || warps_.back().first < warp ? warps_.end()
                                                         : std::ranges::lower_bound(warps_, warp, {}, &Entry::first);
  if (at == warps_.end() || at->first != warp) at = warps_.insert(at, {warp, 0});
  at->second |= mask;
}

void ThreadGroup::remove(uint32_t warp, LaneMask mask) {
  const auto entry = std::ranges::find(warps_, warp, &Entry::first);
  if (entry == warps_.end()) return;
  entry->second &= ~mask;
  if (entry->second == 0) warps_.erase(entry);
}

LaneMask ThreadGroup::in_warp(uint32_t warp) const {
  const auto entry = std::ranges::find(warps_, warp, &Entry::first);
  return entry == warps_.end() ? 0 : entry->second;
}

bool ThreadGroup::empty() const { return warps_.empty(); }

uint32_t ThreadGroup::size() const {
  uint32_t total = 0;
  for (const auto& [warp, mask] : warps_) total += static_cast<uint32_t>(std::popcount(mask));
  return total;
}

std::vector<uint32_t> ThreadGroup::linear() const {
  std::vector<uint32_t> threads;
  for (const auto& [warp, mask] : warps_)
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1)
      threads.push_back(warp * warp_size + static_cast<uint32_t>(std::countr_zero(rest)));
  return threads;
}

observe::Place Launch::place(observe::SiteId site) const {
  return info_.sites == nullptr ? observe::Place{} : info_.sites->place(site);
}

std::string Launch::threads(const ThreadGroup& group) const { return thread_set(group.linear(), info_.block); }

std::string Launch::doing(const ThreadGroup& group, const char* verb) const {
  return threads(group) + ' ' + verb + (group.size() == 1 ? "s" : "");
}

std::string Launch::where(observe::SiteId site) const {
  const observe::Place at = place(site);
  if (at.stack.empty()) return at.ptx_line == 0 ? "an unknown place" : "PTX line " + std::to_string(at.ptx_line);
  const observe::SourceFrame& frame = at.stack[observe::shown_frame(at)];
  return frame.file + ":" + std::to_string(frame.line) + (frame.column == 0 ? "" : ":" + std::to_string(frame.column));
}

std::string Launch::block(const observe::BlockRef& block) {
  const auto& at = block.index;
  return "block (" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) + ")";
}

observe::Side Launch::side(observe::SiteId site, const observe::BlockRef& block, const ThreadGroup& group) const {
  observe::Side side;
  side.at = place(site);
  side.threads = threads(group) + " of " + Launch::block(block);
  side.thread.block = block.index;
  if (const auto linear = group.linear(); !linear.empty()) {
    const uint32_t x = std::max(1u, info_.block[0]), y = std::max(1u, info_.block[1]);
    side.thread.thread = {linear[0] % x, linear[0] / x % y, linear[0] / x / y};
  }
  return side;
}

observe::Finding Launch::finding(std::string rule, observe::Severity severity) const {
  observe::Finding finding;
  finding.rule = std::move(rule);
  finding.severity = severity;
  finding.kernel = info_.kernel_demangled.empty() ? info_.kernel : info_.kernel_demangled;
  return finding;
}

const observe::SharedName* Launch::shared_variable(const observe::AllocationInfo& object, uint64_t address) const {
  if (object.kind != observe::AllocationInfo::Kind::Shared) return nullptr;
  const uint64_t offset = address - object.base;
  const observe::SharedName* best = nullptr;
  for (const observe::SharedName& v : info_.shared)
    if (v.offset <= offset && (v.size == 0 || offset < v.offset + v.size)) best = &v;
  return best;
}

std::string Launch::object(const observe::AllocationInfo& object, uint64_t address) const {
  const uint64_t offset = address - object.base;
  if (object.kind == observe::AllocationInfo::Kind::Shared) {
    const observe::SharedName* best = shared_variable(object, address);
    return best == nullptr ? "shared memory+" + digits(offset)
                           : "shared " + best->name + "+" + digits(offset - best->offset);
  }
  return (object.name.empty() ? digits(object.size) + "-byte allocation" : object.name) + "+" + digits(offset);
}

uint64_t Launch::cluster_of(uint64_t block) const {
  if (blocks_per_cluster() == 1) return block;
  const auto& grid = info_.grid;
  const auto& extent = info_.cluster;
  const uint64_t x = block % grid[0] / extent[0], y = block / grid[0] % grid[1] / extent[1],
                 z = block / (uint64_t{grid[0]} * grid[1]) / extent[2];
  return x + uint64_t{grid[0] / extent[0]} * (y + uint64_t{grid[1] / extent[1]} * z);
}

LaneMask Launch::lanes_of(uint32_t warp) const {
  const uint32_t first = warp * warp_size;
  if (first >= info_.threads_per_block) return 0;
  const uint32_t lanes = info_.threads_per_block - first;
  return lanes >= warp_size ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
}

std::string digits(uint64_t value) {
  std::string out = std::to_string(value);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string call_key(const observe::Place& place, observe::SiteId site) {
  if (place.stack.empty() || place.stack.front().line == 0) return "#" + std::to_string(site);
  const auto& frame = place.stack.front();
  return frame.file + ":" + std::to_string(frame.line) + ":" + std::to_string(frame.column);
}

RepeatingFindings::Key RepeatingFindings::bounded(const Key& key) const {
  if (entries_.size() < most_entries || entries_.contains(key)) return key;
  return {std::get<0>(key), std::get<1>(key), 0};
}

void RepeatingFindings::add(const Key& key, const std::function<observe::Finding()>& make) {
  const auto [entry, fresh] = entries_.try_emplace(bounded(key));
  if (!fresh) {
    ++entry->second.unreported;
    return;
  }
  entry->second.finding = make();
  sink_.report(entry->second.finding);
}

void RepeatingFindings::add(const Key& key, const Lanes& lanes, const std::function<observe::Finding()>& make) {
  const auto [found, fresh] = entries_.try_emplace(bounded(key));
  Entry& entry = found->second;
  const auto count = static_cast<uint64_t>(std::popcount(lanes.mask));
  if (fresh) {
    entry.spread.block = lanes.block;
    entry.finding = make();
    entry.finding.count = count;
    sink_.report(entry.finding);
  } else {
    entry.unreported += count;
  }
  if (lanes.block.linear == entry.spread.block.linear)
    entry.spread.threads.add(lanes.warp, lanes.mask);
  else if (entry.spread.others.size() < Spread::most_blocks)
    entry.spread.others.insert(lanes.block.linear);
}

void RepeatingFindings::replace(const Key& key, observe::Finding finding) {
  Entry& entry = entries_[bounded(key)];
  entry.finding = std::move(finding);
  entry.replaced = true;
  ++entry.unreported;
}

uint64_t* RepeatingFindings::again(const Key& key) {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? nullptr : &entry->second.unreported;
}

void RepeatingFindings::flush(const Revise& revise) {
  for (auto& [key, entry] : entries_) {
    if (entry.unreported == 0) continue;
    entry.finding.count = entry.unreported;
    entry.finding.revised = entry.replaced;
    if (revise && !entry.spread.threads.empty()) {
      revise(entry.finding, entry.spread);
      entry.finding.revised = true;
    }
    sink_.report(std::move(entry.finding));
  }
  entries_.clear();
}

std::string spread_text(const Launch& launch, const RepeatingFindings::Spread& spread) {
  std::string text = launch.threads(spread.threads) + " of " + Launch::block(spread.block);
  if (spread.others.empty()) return text;
  const bool more = spread.others.size() == RepeatingFindings::Spread::most_blocks;
  return text + " and threads of " + (more ? "at least " : "") + std::to_string(spread.others.size()) +
         (spread.others.size() == 1 ? " more block" : " more blocks");
}

} // namespace tollgate::checks
