// The sentences of a race: what met, and what would order it.
#include "checks/race/block_clocks.h"
#include "checks/race/race_report.h"
#include "observe/own_line.h"

#include <algorithm>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::Order;

std::string described(const Access& access) {
  if (access.kind == AccessKind::Atomic)
    return access.scope == observe::SyncScope::Cta ? "block-scope atomic update" : "atomic update";
  const std::string strength = access.order == Order::Weak       ? ""
                               : access.order == Order::Volatile ? "volatile "
                                                                 : "atomic ";
  return strength + (access.kind == AccessKind::Load ? "read" : "write");
}

std::string index_text(const std::array<uint32_t, 3>& at) {
  return "(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) + ")";
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
  case Rule::RaceAsync: return async_message(race, object);
  case Rule::RaceScope:
    if (!race.both_strong())
      return pair + ", ordered only by a fence or an atomic whose scope is the block: it leaves out the other thread";
    return pair + ": a scope that is the block leaves out the other thread";
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

std::string RaceReport::async_message(const Race& race, const std::string& object) const {
  const std::string later = race.both_copy ? "another asynchronous copy" : described(race.later);
  const std::string who = later + " by thread " + thread(race.later, race.later_lane);
  const std::string copy = "an asynchronous copy by thread " + thread(race.earlier, race.earlier_lane) + " of block " +
                           index_text(block(race.earlier.block).index);
  switch (race.async) {
  case AsyncFault::NotComplete:
    return who + " at " + object + ", which " + copy + " is still writing: nobody has waited for it";
  case AsyncFault::WaitedElsewhere:
    return who + " at " + object + ", which " + copy +
           " writes; that was waited for, but nothing orders this access behind the wait";
  case AsyncFault::SourceChanged: return who + " at " + object + ", which " + copy + " may not have read yet";
  case AsyncFault::Exited:
    return "a block ended while a bulk copy by thread " + thread(race.earlier, race.earlier_lane) + " may still read " +
           object;
  case AsyncFault::None: break;
  }
  return "a bulk copy issued by thread " + thread(race.later, race.later_lane) + " meets the ordinary " +
         described(race.earlier) + " by thread " + thread(race.earlier, race.earlier_lane) + " of block " +
         index_text(block(race.earlier.block).index) + " at " + object + " without a fence between the proxies";
}

std::string RaceReport::async_help(const Race& race) const {
  const uint32_t line_of_access = line(race.later.site), line_of_copy = line(race.earlier.site);
  const std::string before = line_of_access == 0 ? "" : " before line " + std::to_string(line_of_access);
  const std::string copy = line_of_copy == 0 ? "" : " in line " + std::to_string(line_of_copy);
  switch (race.async) {
  case AsyncFault::NotComplete:
    return "wait for the copy" + copy + before +
           ": __pipeline_wait_prior, cp.async.wait_group or the mbarrier that counts its "
           "bytes, then a barrier for the other threads";
  case AsyncFault::WaitedElsewhere:
    return "put __syncthreads() behind the wait for the copy" + copy + (before.empty() ? "" : "," + before) +
           ", or let every thread wait on the mbarrier";
  case AsyncFault::SourceChanged: return "wait for the copy" + copy + before + ", or write elsewhere";
  case AsyncFault::Exited:
    return "let the thread that issued the copy" + copy + " wait (cp.async.bulk.wait_group.read) before it leaves";
  case AsyncFault::None: break;
  }
  return "put fence.proxy.async (cde::fence_proxy_async_shared_cta()) behind the write" + copy +
         ", before the barrier that leads to the copy";
}

// What a header of the toolkit wraps counts where it was called, as in the report's own choice of a line.
uint32_t RaceReport::line(observe::SiteId site) const {
  const observe::Place place = launch_.place(site);
  return place.stack.empty() ? 0 : place.stack[observe::shown_frame(place)].line;
}

// Lines of one file, as advice names no other: where one of the two lies in a header, the line that calls into it.
std::pair<uint32_t, uint32_t> RaceReport::lines(const Race& race) const {
  const observe::Place a = launch_.place(race.earlier.site), b = launch_.place(race.later.site);
  const size_t from_a = observe::shown_frame(a), from_b = observe::shown_frame(b);
  for (size_t i = from_a; i < a.stack.size(); ++i)
    for (size_t j = from_b; j < b.stack.size(); ++j) {
      const observe::SourceFrame &x = a.stack[i], &y = b.stack[j];
      if (x.file != y.file || x.line == 0 || y.line == 0) continue;
      const bool call_around_both = i > from_a && j > from_b && x.line == y.line;
      return call_around_both ? std::pair{0u, 0u} : std::pair{x.line, y.line};
    }
  return {0, 0};
}

std::string RaceReport::between(const Race& race) const {
  const auto [first, second] = lines(race);
  if (first == 0 || second == 0) return "between the two accesses";
  if (first < second || (first > second && !race.further_pass))
    return "between lines " + std::to_string(std::min(first, second)) + " and " +
           std::to_string(std::max(first, second));
  if (first == second) return "between the two passes through line " + std::to_string(first);
  return "after line " + std::to_string(first) + ", before the next pass through line " + std::to_string(second);
}

// Whose scope is the block: an atomic function with the suffix, or cuda::atomic_ref.
std::string RaceReport::scope_help(const Race& race) const {
  if (!race.both_strong()) {
    const uint32_t at = line(race.narrow_release ? race.earlier.site : race.flag_site);
    const std::string behind = at == 0 ? "" : " behind line " + std::to_string(at);
    return "use __threadfence() or cuda::thread_scope_device, not __threadfence_block() or thread_scope_block" + behind;
  }
  const Access& narrow = is_wide(race.later.scope) ? race.earlier : race.later;
  const uint32_t at = line(narrow.site);
  const std::string where = at == 0 ? "" : " in line " + std::to_string(at);
  if (narrow.kind == AccessKind::Atomic)
    return "use the device-wide form" + where + " (atomicAdd, not atomicAdd_block; cuda::thread_scope_device)";
  return "use cuda::thread_scope_device" + where + ", not cuda::thread_scope_block";
}

// A plain read that alone ends a loop, or 0.
observe::SiteId RaceReport::polled(const Race& race) const {
  for (const Access* access : {&race.later, &race.earlier})
    if (access->kind == AccessKind::Load && polls_.contains(access->site)) return access->site;
  return 0;
}

std::string RaceReport::poll_help(const Race& race) const {
  const uint32_t at = line(polled(race));
  return "make the read" + (at == 0 ? std::string() : " in line " + std::to_string(at)) +
         " and the write atomic (cuda::atomic_ref) or volatile, with a fence on both sides of the data: at -O3 the "
         "compiler "
         "takes this read out of its loop, and the kernel hangs";
}

// Data of one block that another one uses.
std::string RaceReport::publish_help(const Race& race) const {
  const uint32_t at = line(race.earlier.site);
  const std::string behind = at == 0 ? "" : " behind line " + std::to_string(at);
  if (race.narrow_release) return "use __threadfence(), not __threadfence_block()," + behind;
  if (race.earlier.writes())
    return "put __threadfence()" + behind +
           ", before an atomic or volatile flag is set, and another one behind the read of "
           "the flag";
  return "publish the data with __threadfence() and an atomic flag";
}

std::string RaceReport::help(const Race& race) const {
  const Access &a = race.earlier, &b = race.later;
  const bool one_block = a.block == b.block, one_warp = one_block && a.warp == b.warp;
  const std::string blocks =
      "blocks " + digits(std::min(a.block, b.block)) + " and " + digits(std::max(a.block, b.block)) + " meet";
  switch (race.rule) {
  case Rule::RaceAsync: return async_help(race);
  case Rule::WarpSynchronous: return "put __syncwarp() " + between(race);
  case Rule::MissingAcquire: {
    const uint32_t flag = line(race.flag_site);
    return std::string("put __threadfence() behind the read of the flag") +
           (flag == 0 ? "" : " in line " + std::to_string(flag)) + ", or read it with memory_order_acquire";
  }
  case Rule::RaceScope: return scope_help(race) + ": " + blocks;
  case Rule::RaceCasGuess: return "harmless on every device so far; a volatile or atomic read would make it right";
  case Rule::RaceSameValue: return "let one thread write, or make the writes atomic (atomicExch, cuda::atomic_ref)";
  default: break;
  }
  if (race.mixed_sizes) return "use one type for all accesses to this object";
  if (polled(race) != 0) return poll_help(race);
  const bool atomic_a = a.is_strong(), atomic_b = b.is_strong();
  const auto [line_a, line_b] = lines(race);
  const bool update = a.site != b.site && line_a == line_b && line_a != 0;
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
    return blocks + ": " + (update || a.site == b.site ? "use an atomic such as atomicAdd" : publish_help(race)) +
           "; or give each block elements of its own, or end the kernel in between";
  const std::string barrier = one_warp ? "__syncwarp()" : "__syncthreads()";
  if (update)
    return "use an atomic such as atomicAdd if threads share the element; if each writes its own, read in a statement "
           "of "
           "its own and put " +
           barrier + " between the two";
  if (a.site == b.site && a.time == b.time)
    return "use an atomic such as atomicAdd, or give each thread an element of its own";
  return "put " + barrier + " " + between(race);
}

} // namespace tollgate::checks::race
