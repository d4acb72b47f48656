#include "checks/race/race_report.h"

#include "observe/own_line.h"

#include <algorithm>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::AllocationInfo;
using observe::Finding;
using observe::Severity;

namespace {

const char* name(Rule rule) {
  switch (rule) {
  case Rule::RaceShared: return "race-shared";
  case Rule::RaceGlobal: return "race-global";
  case Rule::RaceScope: return "race-scope";
  case Rule::RaceSameValue: return "race-same-value";
  case Rule::RaceCasGuess: return "race-cas-guess";
  case Rule::RaceAsync: return "race-async";
  case Rule::WarpSynchronous: return "warp-synchronous";
  case Rule::MissingAcquire: return "missing-acquire";
  }
  return "race-global";
}

const char* access_name(const Access& access) {
  return access.kind == AccessKind::Load ? "read" : access.kind == AccessKind::Store ? "write" : "atomic";
}

} // namespace

Reach reach(const Access& a, const Access& b) {
  return a.block != b.block ? Reach::Grid : a.warp != b.warp ? Reach::Block : Reach::Warp;
}

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

bool RaceReport::again(Rule rule, const Access& a, const Access& b, bool deferred, bool shared) {
  if (shared && has_reserved_) return false; // it depends on the address
  const auto [low, high] = std::minmax(a.site, b.site);
  Pair& pair = last_[(low * 5 + high) % last_.size()];
  if (pair.count == nullptr || pair.rule != rule || pair.low != low || pair.high != high || pair.deferred != deferred) {
    pair = {rule, low, high, deferred, Reach::Warp, nullptr};
    if (!deferred) {
      if (const auto known = reach_.find({rule, low, high}); known != reach_.end()) pair.reach = known->second;
      pair.count = findings_.again({static_cast<int>(rule), low, high});
    } else if (const auto known = deferred_.find({rule, low, high}); known != deferred_.end()) {
      pair.reach = reach(known->second.race.earlier, known->second.race.later);
      pair.count = &known->second.count;
    }
    if (pair.count == nullptr) return false;
  }
  if (reach(a, b) > pair.reach) return false;
  ++*pair.count;
  return true;
}

void RaceReport::add(const Race& race) {
  if (is_system(race)) return;
  const auto [low, high] = std::minmax(race.earlier.site, race.later.site);
  if (race.rule == Rule::RaceShared || race.rule == Rule::RaceGlobal) races_.insert({low, high});
  const RepeatingFindings::Key key{static_cast<int>(race.rule), low, high};
  const Reach now = reach(race.earlier, race.later);
  const auto [known, fresh] = reach_.try_emplace({race.rule, low, high}, now);
  if (fresh || now <= known->second) return findings_.add(key, [&] { return finding(race); });
  known->second = now;
  last_.fill({});
  findings_.replace(key, finding(race));
}

void RaceReport::defer(const Race& race, observe::SiteId read) {
  if (is_system(race)) return;
  const auto [low, high] = std::minmax(race.earlier.site, race.later.site);
  Deferred& entry = deferred_[{race.rule, low, high}];
  const bool farther =
      entry.count == 0 || reach(race.earlier, race.later) > reach(entry.race.earlier, entry.race.later);
  ++entry.count;
  if (!farther) return;
  entry.race = race;
  entry.read = read;
  last_.fill({});
}

void RaceReport::end_launch() {
  last_.fill({});
  findings_.flush();
  for (auto& [key, entry] : deferred_) {
    if (entry.race.rule == Rule::RaceSameValue && races_.contains({std::get<1>(key), std::get<2>(key)})) continue;
    if (entry.read != 0 && guesses_.contains(entry.read) && only_guesses_.contains(entry.read))
      entry.race.rule = Rule::RaceCasGuess;
    Finding out = finding(entry.race);
    out.count = entry.count;
    sink_.report(std::move(out));
  }
  reach_.clear();
  deferred_.clear();
  races_.clear();
  guesses_.clear();
  only_guesses_.clear();
  polls_.clear();
}

Finding RaceReport::finding(const Race& race) const {
  const bool warning = race.rule == Rule::RaceSameValue || (race.rule == Rule::MissingAcquire && !ptx_model_);
  Finding out = launch_.finding(name(race.rule), warning ? Severity::Warning : Severity::Error);
  if (race.rule == Rule::RaceCasGuess) out.severity = Severity::Note;
  const std::string where = launch_.object(race.object, race.address);
  out.message = message(race, where);
  out.help = help(race);
  out.at = side(race.later, race.later_lane, where);
  out.others.push_back(side(race.earlier, race.earlier_lane, where));
  if (observe::in_library(out.at.at) && observe::in_library(out.others.front().at)) {
    out.severity = Severity::Note;
    out.notes.push_back(
        "the whole kernel is the library's own: its authors rely on more than the memory model promises");
  }
  const bool narrow_acquire = race.rule == Rule::RaceScope && !race.both_strong() && !race.narrow_release;
  if (race.flag_site != 0 && (race.rule == Rule::MissingAcquire || narrow_acquire)) {
    observe::Side flag;
    flag.at = launch_.place(race.flag_site);
    flag.role = narrow_acquire ? "the flag was read here, and acquired with the scope of the block"
                               : "the flag was read here, without acquire";
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

} // namespace tollgate::checks::race
