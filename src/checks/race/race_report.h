// How a race is said: both places, the object, and one sentence on what would order them.
#pragma once

#include "checks/race/async_copies.h"
#include "checks/race/shadow.h"
#include "checks/support.h"

#include <set>

namespace tollgate::checks::race {

enum class Rule : uint8_t {
  RaceShared,
  RaceGlobal,
  RaceScope,
  RaceSameValue,
  RaceCasGuess,
  RaceAsync,
  WarpSynchronous,
  MissingAcquire
};

// How far apart two threads are. What orders the lanes of a warp does not order two warps, so that of all races between
// two places one that reaches farthest is told.
enum class Reach : uint8_t { Warp, Block, Grid };
[[nodiscard]] Reach reach(const Access& a, const Access& b);

struct Race {
  Rule rule = Rule::RaceGlobal;
  uint64_t address = 0;
  observe::AllocationInfo object; // that holds the address, as it was then
  Access earlier, later;          // in the order of this run, which means nothing
  uint32_t earlier_lane = 0, later_lane = 0;
  observe::SiteId flag_site = 0;       // MissingAcquire: the read that would have had to acquire
  bool further_pass = true;            // the later access may belong to a further pass of a loop around both
  bool mixed_sizes = false;            // both strong, but of different extent
  bool narrow_release = false;         // the earlier thread fenced or released since, at block scope only
  AsyncFault async = AsyncFault::None; // RaceAsync: `earlier` is a copy; None: the fence between the proxies is missing
  bool both_copy = false;              // RaceAsync: `later` is a copy as well
  [[nodiscard]] bool both_strong() const { return earlier.is_strong() && later.is_strong(); }
};

[[nodiscard]] std::string described(const Access& access);               // "volatile read"
[[nodiscard]] std::string index_text(const std::array<uint32_t, 3>& at); // "(1,0,0)"

class RaceReport {
public:
  RaceReport(observe::FindingSink& sink, bool ptx_model) : sink_(sink), ptx_model_(ptx_model), findings_(sink) {}
  void begin_launch(const observe::LaunchInfo& info);
  void end_launch();
  // True if it only has to be counted, which is done then: a pair of places that was added or deferred before, with
  // threads as far apart.
  [[nodiscard]] bool again(Rule rule, const Access& a, const Access& b, bool deferred, bool shared);
  void add(const Race& race);
  // A write of the same value is worth a word only if those two places never wrote different ones. A plain read that
  // meets an atomic: an error, or the first guess of a compare-and-swap loop. Which of the two is
  // known once the launch has ended.
  void defer(const Race& race, observe::SiteId read);
  void note_guess(observe::SiteId read) { guesses_.insert(read); }           // a swap of the same thread followed there
  void note_only_guess(observe::SiteId read) { only_guesses_.insert(read); } // its value goes to such swaps alone
  void note_poll(observe::SiteId read) { polls_.insert(read); }              // a plain read that alone ends a loop

private:
  [[nodiscard]] observe::Finding finding(const Race& race) const;
  [[nodiscard]] observe::Side side(const Access& access, uint32_t lane, const std::string& object) const;
  [[nodiscard]] bool is_system(const Race& race) const;
  [[nodiscard]] std::string message(const Race& race, const std::string& object) const;
  [[nodiscard]] std::string help(const Race& race) const;
  [[nodiscard]] std::string async_message(const Race& race, const std::string& object) const;
  [[nodiscard]] std::string async_help(const Race& race) const;
  [[nodiscard]] std::string scope_help(const Race& race) const;
  [[nodiscard]] observe::SiteId polled(const Race& race) const;
  [[nodiscard]] std::string poll_help(const Race& race) const;
  [[nodiscard]] std::string publish_help(const Race& race) const;
  [[nodiscard]] std::string between(const Race& race) const;                 // "between lines 12 and 14"
  [[nodiscard]] std::pair<uint32_t, uint32_t> lines(const Race& race) const; // of the earlier and the later access
  [[nodiscard]] uint32_t line(observe::SiteId site) const;
  [[nodiscard]] observe::BlockRef block(uint64_t linear) const;
  [[nodiscard]] std::string thread(const Access& access, uint32_t lane) const;

  struct Deferred {
    Race race;
    observe::SiteId read = 0;
    uint64_t count = 0;
  };

  struct Pair {
    Rule rule = Rule::RaceGlobal;
    observe::SiteId low = 0, high = 0;
    bool deferred = false;
    Reach reach = Reach::Warp;
    uint64_t* count = nullptr;
  };

  observe::FindingSink& sink_;
  bool ptx_model_;
  Launch launch_;
  bool has_reserved_ = false;   // shared memory that programs cannot name
  std::array<Pair, 16> last_{}; // that came again
  RepeatingFindings findings_;
  std::map<std::tuple<Rule, observe::SiteId, observe::SiteId>, Reach> reach_; // of those added
  std::map<std::tuple<Rule, observe::SiteId, observe::SiteId>, Deferred> deferred_;
  std::set<std::pair<observe::SiteId, observe::SiteId>> races_; // pairs of places that raced with different values
  std::set<observe::SiteId> guesses_, only_guesses_, polls_;
};

} // namespace tollgate::checks::race
