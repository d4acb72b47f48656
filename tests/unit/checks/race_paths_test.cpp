// The ways in which an access can meet the shadow (race_touch.cpp) come to the same findings, and to those that the
// definition gives: every pair is looked at here. Accesses are random, few enough between two barriers for no slot to
// be lost. Of two accesses that have raced the checker keeps the later one, so not every pair is found, but every
// access that races with an earlier one.
#include "race_bench.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tollgate::checks::testing {

namespace {

constexpr uint32_t warps = 3;
constexpr uint64_t region_bytes = 1024;

// One instruction of one warp.
struct Step {
  uint32_t warp = 0;
  LaneMask mask = 0;
  SiteId site = 0;
  AccessKind kind = AccessKind::Load;
  uint32_t bytes = 4;
  std::array<uint64_t, warp_size> offset{};
};

using Phase = std::vector<Step>; // between two barriers
using Pairs = std::set<std::pair<SiteId, SiteId>>;

class Maker {
public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  // Two lanes read each granule, and from global memory nothing goes at a barrier: slots may be lost there.
  [[nodiscard]] bool crowded() const { return crowded_; }

  std::vector<Phase> program() {
    std::vector<Phase> out(4);
    for (Phase& phase : out) {
      const bool narrow = below(3) == 0;
      const uint32_t steps = narrow ? 2 : 3;
      for (uint32_t i = 0; i < steps; ++i) phase.push_back(step((i + out.size()) % warps, narrow));
    }
    return out;
  }

private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  Step step(uint32_t warp, bool narrow) {
    Step s;
    s.warp = warp;
    s.site = ++site_;
    s.kind = static_cast<AccessKind>(below(4) % 3);
    s.bytes = narrow ? 1u << below(2) : 4u << below(3);
    if (s.kind == AccessKind::Atomic) s.bytes = 4;
    s.mask = below(2) == 0 ? all_lanes : mask();
    const uint64_t room = region_bytes / s.bytes - warp_size;
    const uint64_t start =
        below(4) == 0 ? below(static_cast<uint32_t>(room)) : below(static_cast<uint32_t>(room)) / 32 * 32;
    const uint32_t shape = below(8);
    crowded_ |= shape == 4 && !narrow;
    std::array<uint64_t, warp_size> shuffled{};
    for (uint32_t lane = 0; lane < warp_size; ++lane) shuffled[lane] = lane;
    std::shuffle(shuffled.begin(), shuffled.end(), random_);
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      const uint64_t index = shape == 0                   ? start                    // one place
                             : shape == 1                 ? start + shuffled[lane]   // in no order
                             : shape == 2                 ? start + (lane ^ 1)       // almost in line
                             : shape == 3                 ? start + warp_size - lane // backwards
                             : shape == 4 && !narrow      ? start + lane % 16        // two rows of the same
                             : shape == 5 && s.bytes <= 8 ? start / 2 + 2 * lane
                                                          : start + lane;
      s.offset[lane] = index * s.bytes;
    }
    return s;
  }

  LaneMask mask() {
    const uint32_t from = below(warp_size), count = 1 + below(warp_size - from);
    const LaneMask run = (count == warp_size ? all_lanes : (LaneMask{1} << count) - 1) << from;
    return below(3) == 0 ? (run & static_cast<LaneMask>(random_())) | (LaneMask{1} << from) : run;
  }

  std::mt19937 random_;
  SiteId site_ = 0;
  bool crowded_ = false;
};

bool overlap(const Step& a, uint32_t i, const Step& b, uint32_t j) {
  return a.offset[i] < b.offset[j] + b.bytes && b.offset[j] < a.offset[i] + a.bytes;
}

// By the definition: different threads, overlap, at least one write, not both atomic, no barrier in between.
Pairs by_definition(const std::vector<Phase>& program) {
  Pairs out;
  for (const Phase& phase : program)
    for (size_t a = 0; a < phase.size(); ++a)
      for (size_t b = a; b < phase.size(); ++b) {
        const Step &x = phase[a], &y = phase[b];
        const bool writes = x.kind != AccessKind::Load || y.kind != AccessKind::Load;
        if (!writes || (x.kind == AccessKind::Atomic && y.kind == AccessKind::Atomic)) continue;
        for (uint32_t i = 0; i < warp_size; ++i)
          for (uint32_t j = 0; j < warp_size; ++j)
            if ((x.mask >> i & 1) != 0 && (y.mask >> j & 1) != 0 && (a != b || i != j) && overlap(x, i, y, j))
              out.insert({x.site, y.site});
      }
  return out;
}

std::set<SiteId> later_of(const Pairs& pairs) {
  std::set<SiteId> out;
  for (const auto& [a, b] : pairs) out.insert(b);
  return out;
}

enum class Way { Settled, Rows, Lanes, Parted };

void tell(RaceBench& bench, const Step& step, uint64_t base, LaneMask mask) {
  uint64_t addresses[warp_size];
  for (uint32_t lane = 0; lane < warp_size; ++lane) addresses[lane] = base + step.offset[lane];
  MemoryEvent event;
  event.block = RaceBench::ref(0), event.warp = step.warp, event.mask = mask, event.site = step.site;
  event.kind = step.kind, event.bytes = step.bytes, event.address = addresses;
  if (step.kind == AccessKind::Atomic) event.order = Order::Relaxed, event.scope = SyncScope::Gpu;
  bench.race.on_memory(event);
}

// As generated code tells of lanes in rows. False: they stand in none, or the checker wants to hear of each.
bool tell_rows(RaceBench& bench, const Step& step, uint64_t base) {
  const uint64_t stride = step.offset[1] - step.offset[0];
  if (step.mask != all_lanes || step.kind == AccessKind::Atomic || (stride == 0 && step.kind == AccessKind::Store) ||
      stride > 4096)
    return false;
  for (const uint32_t lanes : {32u, 16u, 8u}) {
    bool fits = true;
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      fits &= step.offset[lane] == step.offset[lane / lanes * lanes] + lane % lanes * stride;
    if (!fits) continue;
    std::vector<uint64_t> first;
    for (uint32_t lane = 0; lane < warp_size; lane += lanes) first.push_back(base + step.offset[lane]);
    return bench.race.on_rows({0, step.warp, step.site, step.kind, observe::MemorySpace::Generic, step.bytes,
                               static_cast<uint32_t>(stride), first});
  }
  return false;
}

// Parted: a warp barrier of half the lanes behind each barrier of the block orders nothing that is not in order
// already, but leaves the lanes with different knowledge, and then each is looked at by itself.
Pairs found(const std::vector<Phase>& program, Way way, uint64_t base) {
  RaceBench bench(warps * warp_size, 1);
  auto part = [&] {
    for (uint32_t warp = 0; warp < warps && way == Way::Parted; ++warp) bench.warp_barrier(0, warp, 0xffff);
  };
  part();
  for (const Phase& phase : program) {
    for (const Step& step : phase) {
      for (uint32_t lane = 0; lane < warp_size && way == Way::Lanes; ++lane)
        if ((step.mask >> lane & 1) != 0) tell(bench, step, base, LaneMask{1} << lane);
      if (way == Way::Rows && tell_rows(bench, step, base)) continue;
      if (way != Way::Lanes) tell(bench, step, base, step.mask);
    }
    if (phase.size() % 2 == 0)
      bench.barrier(0);
    else
      bench.race.on_block_barrier({RaceBench::ref(0), 902});
    part();
  }
  bench.race.on_launch_end();
  Pairs out;
  for (const Finding& f : bench.sink.findings) {
    const SiteId a = f.at.at.stack[0].line, b = f.others.at(0).at.stack[0].line;
    out.insert(std::minmax(a, b));
  }
  return out;
}

} // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t programs = 200; // a hundred times slower
#else
constexpr uint32_t programs = 3000;
#endif

TEST(RacePaths, AllComeToTheDefinition) {
  size_t racing = 0;
  for (uint32_t seed = 0; seed < programs; ++seed) {
    Maker maker(seed);
    const auto program = maker.program();
    const Pairs expected = by_definition(program);
    racing += expected.size();
    for (const uint64_t base : {shared_base, global_base}) {
      const Pairs whole = found(program, Way::Settled, base);
      const Pairs lanes = found(program, Way::Lanes, base);
      ASSERT_TRUE(std::ranges::includes(expected, found(program, Way::Rows, base))) << "rows, seed " << seed;
      if (maker.crowded() && base == global_base) continue;
      ASSERT_EQ(found(program, Way::Rows, base), whole) << "rows, seed " << seed;
      ASSERT_EQ(found(program, Way::Parted, base), whole) << "lanes told apart, seed " << seed;
      for (const Pairs& pairs : {whole, lanes}) {
        ASSERT_EQ(later_of(pairs), later_of(expected))
            << (&pairs == &whole ? "whole warps" : "lane by lane") << ", seed " << seed;
        ASSERT_TRUE(std::ranges::includes(expected, pairs)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(racing, programs);
}

} // namespace tollgate::checks::testing
