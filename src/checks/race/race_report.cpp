#include "checks/race/race_report.h"

#include "observe/own_line.h"

#include <algorithm>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::AllocationInfo;
using observe::Finding;
using observe::Order;
using observe::Severity;

namespace {

const char* name(Rule rule) {
  switch (rule) {
  case Rule::RaceShared: return "race-shared";
  case Rule::RaceGlobal: return "race-global";
  case Rule::RaceScope: return "race-scope";
  case Rule::RaceSameValue: return "race-same-value";
  case Rule::RaceCasGuess: return "race-cas-guess";
  case Rule::WarpSynchronous: return "warp-synchronous";
  case Rule::MissingAcquire: return "missing-acquire";
  }
  return "race-global";
}

const char* access_name(const Access& access) {
  return access.kind == AccessKind::Load ? "read" : access.kind == AccessKind::Store ? "write" : "atomic";
}

std::string described(const Access& access) {
  if (access.kind == AccessKind::Atomic)
    return access.scope == observe::SyncScope::Cta ? "block-scope atomic update" : "atomic update";
  const std::string strength = access.order == Order::Weak       ? ""
                               : access.order == Order::Volatile ? "volatile "
                                                                 : "atomic ";
  return strength + (access.kind == AccessKind::Load ? "read" : "write");
}

// No line of the user's is on the way: kernels of Thrust and of CUB's device-wide algorithms.
bool in_library(const observe::Place& place) {
  return !place.stack.empty() &&
         std::ranges::all_of(place.stack, [](const auto& frame) { return observe::library_file(frame.file); });
}

std::string index_text(const std::array<uint32_t, 3>& at) {
  return "(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) + ")";
}

} // namespace

// No program can name the reserved part. Cooperative groups hand a barrier's result on by shuffles there, which the
// chip does in order and the memory model does not promise.
bool RaceReport::is_system(const Race& race) const {
  const observe::SharedName* variable = launch_.shared_variable(race.object, race.address);
  return variable != nullptr && variable->reserved;
}

void RaceReport::begin_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  last_.fill({});
  has_reserved_ = std::ranges::any_of(info.shared, &observe::SharedName::reserved);
}

bool RaceReport::again(Rule rule, observe::SiteId a, observe::SiteId b, bool deferred, bool shared) {
  if (shared && has_reserved_) return false; // it depends on the address
  const auto [low, high] = std::minmax(a, b);
  Pair& pair = last_[(low * 5 + high) % last_.size()];
  if (pair.count == nullptr || pair.rule != rule || pair.low != low || pair.high != high || pair.deferred != deferred) {
    pair = {rule, low, high, deferred, nullptr};
    if (!deferred)
      pair.count = findings_.again({static_cast<int>(rule), low, high});
    else if (const auto known = deferred_.find({rule, low, high}); known != deferred_.end())
      pair.count = &known->second.count;
    if (pair.count == nullptr) return false;
  }
  ++*pair.count;
  return true;
}

void RaceReport::add(const Race& race) {
  if (is_system(race)) return;
  const auto [low, high] = std::minmax(race.earlier.site, race.later.site);
  if (race.rule == Rule::RaceShared || race.rule == Rule::RaceGlobal) races_.insert({low, high});
  findings_.add({static_cast<int>(race.rule), low, high}, [&] { return finding(race); });
}

void RaceReport::defer(const Race& race, observe::SiteId read) {
  if (is_system(race)) return;
  const auto [low, high] = std::minmax(race.earlier.site, race.later.site);
  Deferred& entry = deferred_[{race.rule, low, high}];
  if (entry.count++ == 0) {
    entry.race = race;
    entry.read = read;
  }
}

void RaceReport::end_launch() {
  last_.fill({});
  findings_.flush();
  for (auto& [key, entry] : deferred_) {
    if (entry.race.rule == Rule::RaceSameValue && races_.contains({std::get<1>(key), std::get<2>(key)})) continue;
    if (entry.read != 0 && guesses_.contains(entry.read)) entry.race.rule = Rule::RaceCasGuess;
    Finding out = finding(entry.race);
    out.count = entry.count;
    sink_.report(std::move(out));
  }
  deferred_.clear();
  races_.clear();
  guesses_.clear();
}

Finding RaceReport::finding(const Race& race) const {
  const bool warning = race.rule == Rule::RaceSameValue || race.rule == Rule::MissingAcquire;
  Finding out = launch_.finding(name(race.rule), warning ? Severity::Warning : Severity::Error);
  if (race.rule == Rule::RaceCasGuess) out.severity = Severity::Note;
  const std::string where = launch_.object(race.object, race.address);
  out.message = message(race, where);
  out.help = help(race);
  out.at = side(race.later, race.later_lane, where);
  out.others.push_back(side(race.earlier, race.earlier_lane, where));
  if (in_library(out.at.at) && in_library(out.others.front().at)) {
    out.severity = Severity::Note;
    out.notes.push_back(
        "the whole kernel is the library's own: its authors rely on more than the memory model promises");
  }
  if (race.flag_site != 0 && race.rule == Rule::MissingAcquire) {
    observe::Side flag;
    flag.at = launch_.place(race.flag_site);
    flag.role = "the flag was read here, without acquire";
    flag.access = "read";
    out.others.push_back(std::move(flag));
  }
  if (!race.object.allocated_at.empty()) out.notes.push_back("the memory was allocated at " + race.object.allocated_at);
  return out;
}

observe::Side RaceReport::side(const Access& access, uint32_t lane, const std::string& object) const {
  ThreadGroup group;
  group.add(access.warp, LaneMask{1} << lane);
  observe::Side out = launch_.side(access.site, block(access.block), group);
  out.access = access_name(access);
  out.bytes = access.bytes;
  out.object = object;
  out.role =
      described(access) + " by thread " + index_text(out.thread.thread) + " of block " + index_text(out.thread.block);
  return out;
}

observe::BlockRef RaceReport::block(uint64_t linear) const {
  const auto& grid = launch_.info().grid;
  const uint64_t x = std::max(1u, grid[0]), y = std::max(1u, grid[1]);
  return {linear,
          {static_cast<uint32_t>(linear % x), static_cast<uint32_t>(linear / x % y),
           static_cast<uint32_t>(linear / x / y)}};
}

std::string RaceReport::thread(const Access& access, uint32_t lane) const {
  const auto& size = launch_.info().block;
  const uint32_t linear = access.warp * observe::warp_size + lane, x = std::max(1u, size[0]), y = std::max(1u, size[1]);
  return index_text({linear % x, linear / x % y, linear / x / y});
}

std::string RaceReport::message(const Race& race, const std::string& object) const {
  const bool one_block = race.earlier.block == race.later.block;
  auto who = [&](const Access& access, uint32_t lane) {
    return described(access) + " by thread " + thread(access, lane) +
           (one_block ? "" : " of block " + index_text(block(access.block).index));
  };
  std::string pair = who(race.later, race.later_lane) + " and " + who(race.earlier, race.earlier_lane) +
                     (one_block ? " of block " + index_text(block(race.later.block).index) : "") + " meet at " + object;
  switch (race.rule) {
  case Rule::RaceScope: return pair + ": a scope that is the block leaves out the other thread";
  case Rule::RaceSameValue: return pair + " unordered; both write the same value";
  case Rule::RaceCasGuess: return pair + "; the value read is only a guess that a compare-and-swap checks";
  case Rule::WarpSynchronous:
    return pair + " with no warp barrier in between: since Volta the lanes of a warp need not run in step";
  case Rule::MissingAcquire: return pair + ", ordered only by a flag that was read without acquire";
  default: break;
  }
  if (race.mixed_sizes)
    return pair + " with different sizes: accesses that overlap in part are not atomic to each other";
  if (race.earlier.site == race.later.site && one_block && race.earlier.warp == race.later.warp &&
      race.earlier.time == race.later.time)
    return pair + ": lanes of one instruction are in no order";
  return pair + ", and nothing orders the two";
}

uint32_t RaceReport::line(observe::SiteId site) const {
  const observe::Place place = launch_.place(site);
  for (const observe::SourceFrame& frame : place.stack) // what a header of the toolkit wraps counts where it was called
    if (frame.line != 0 && (frame.file.ends_with(".cu") || frame.file.ends_with(".cuh"))) return frame.line;
  return place.stack.empty() ? 0 : place.stack.front().line;
}

std::string RaceReport::between(const Race& race) const {
  const uint32_t first = line(race.earlier.site), second = line(race.later.site);
  if (first == 0 || second == 0) return "between the two accesses";
  if (first < second) return "between lines " + std::to_string(first) + " and " + std::to_string(second);
  if (first == second) return "between the two passes through line " + std::to_string(first);
  return "after line " + std::to_string(first) + ", before the next pass through line " + std::to_string(second);
}

std::string RaceReport::help(const Race& race) const {
  const Access &a = race.earlier, &b = race.later;
  const bool one_block = a.block == b.block, one_warp = one_block && a.warp == b.warp;
  const std::string blocks =
      "blocks " + digits(std::min(a.block, b.block)) + " and " + digits(std::max(a.block, b.block)) + " meet";
  switch (race.rule) {
  case Rule::WarpSynchronous: return "put __syncwarp() " + between(race);
  case Rule::MissingAcquire: {
    const uint32_t flag = line(race.flag_site);
    return std::string("put __threadfence() behind the read of the flag") +
           (flag == 0 ? "" : " in line " + std::to_string(flag)) + ", or read it with memory_order_acquire";
  }
  case Rule::RaceScope: return "use the device-wide form (atomicAdd, not atomicAdd_block): " + blocks;
  case Rule::RaceCasGuess: return "harmless on every device so far; a volatile or atomic read would make it right";
  case Rule::RaceSameValue: return "let one thread write, or make the writes atomic (atomicExch, cuda::atomic_ref)";
  default: break;
  }
  if (race.mixed_sizes) return "use one type for all accesses to this object";
  const bool atomic_a = a.is_strong(), atomic_b = b.is_strong();
  const bool update = a.site != b.site && line(a.site) == line(b.site) && line(a.site) != 0;
  if (atomic_a != atomic_b) {
    const uint32_t plain = line(atomic_a ? b.site : a.site);
    const std::string make = "make the plain access" +
                             (plain == 0 ? std::string() : " in line " + std::to_string(plain)) + " atomic as well";
    return make + (one_block ? ", or put __syncthreads() " + between(race) : ": " + blocks);
  }
  const bool one_cluster = !one_block && launch_.cluster_of(a.block) == launch_.cluster_of(b.block);
  if (one_cluster && !update && a.site != b.site)
    return blocks + " in one cluster: put cluster.sync() " + between(race);
  if (!one_block)
    return blocks + ": " +
           (update || a.site == b.site ? "use an atomic such as atomicAdd"
                                       : "publish the data with __threadfence() and an atomic flag") +
           ", give each block elements of its own, or end the kernel in between";
  if (update || (a.site == b.site && a.time == b.time))
    return "use an atomic such as atomicAdd, or give each thread an element of its own";
  return std::string("put ") + (one_warp ? "__syncwarp()" : "__syncthreads()") + " " + between(race);
}

} // namespace tollgate::checks::race
