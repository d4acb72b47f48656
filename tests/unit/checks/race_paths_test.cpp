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

enum class Way { Settled, Rows, Noted, Lanes, Parted };

// What generated code does with the tables that it is given (observe/shortcuts.h). False: it has to tell.
bool note_read(observe::Shortcuts& own, uint32_t warp, const observe::RowsAccess& rows) {
  if (own.reads_at >= own.reads_end) return false;
  *own.reads_at++ = uint64_t{rows.site} << 32 | rows.bytes;
  *own.reads_at++ =
      warp | rows.first.size() << observe::Shortcuts::rows_at | uint64_t{rows.stride} << observe::Shortcuts::stride_at;
  for (const uint64_t first : rows.first) *own.reads_at++ = first;
  return true;
}

bool note_line(observe::Shortcuts& own, uint32_t warp, AccessKind kind, SiteId site, uint64_t first) {
  using observe::LineWord;
  const bool load = kind == AccessKind::Load;
  observe::SiteRecord& last = own.sites[site % observe::Shortcuts::site_count];
  if (first % 128 != 0 || last.time != *(load ? own.load_time : own.store_time) || last.site != site) return false;
  auto& word = *reinterpret_cast<uint64_t*>(own.lines + first / 16);
  const uint64_t fresh = last.id | uint64_t{warp} << LineWord::warp_at | uint64_t{load} << LineWord::load_at |
                         uint64_t{15} << LineWord::bytes_at | uint64_t{32} << LineWord::granules_at;
  const uint64_t place = LineWord::place | uint64_t{load} << LineWord::load_at;
  const auto id = static_cast<uint32_t>(word);
  if (id >= own.first_record && (((word ^ fresh) & place) != 0 || id < own.own_records)) return false;
  word = fresh;
  last.warps |= 1u << warp;
  return true;
}

void tell(RaceBench& bench, const Step& step, uint64_t base, LaneMask mask) {
  uint64_t addresses[warp_size];
  for (uint32_t lane = 0; lane < warp_size; ++lane) addresses[lane] = base + step.offset[lane];
  MemoryEvent event;
  event.block = RaceBench::ref(0), event.warp = step.warp, event.mask = mask, event.site = step.site;
  event.kind = step.kind, event.bytes = step.bytes, event.address = addresses;
  if (step.kind == AccessKind::Atomic) event.order = Order::Relaxed, event.scope = SyncScope::Gpu;
  bench.race.on_memory(event);
}

// As generated code tells of lanes in rows, or notes them. False: they stand in none, or the checker wants to hear of
// each.
bool tell_rows(RaceBench& bench, const Step& step, uint64_t base, bool may_note) {
  const uint64_t stride = step.offset[1] - step.offset[0];
  if (step.kind == AccessKind::Atomic || (stride == 0 && step.kind == AccessKind::Store) || stride > 4096) return false;
  const auto space = !may_note             ? observe::MemorySpace::Generic
                     : base == shared_base ? observe::MemorySpace::Shared
                                           : observe::MemorySpace::Global;
  if (step.mask != all_lanes) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(step.mask));
    const LaneMask run = step.mask >> lane;
    if ((run & (run + 1)) != 0) return false;
    const auto lanes = static_cast<uint32_t>(std::popcount(run));
    for (uint32_t i = 0; i < lanes; ++i)
      if (step.offset[lane + i] != step.offset[lane] + i * stride) return false;
    const uint64_t first = base + step.offset[lane];
    return bench.race.on_rows({0,
                               step.warp,
                               step.site,
                               step.kind,
                               space,
                               step.bytes,
                               static_cast<uint32_t>(stride),
                               {&first, 1},
                               lane,
                               lanes});
  }
  for (const uint32_t lanes : {32u, 16u, 8u}) {
    bool fits = true;
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      fits &= step.offset[lane] == step.offset[lane / lanes * lanes] + lane % lanes * stride;
    if (!fits) continue;
    std::vector<uint64_t> first;
    for (uint32_t lane = 0; lane < warp_size; lane += lanes) first.push_back(base + step.offset[lane]);
    const observe::RowsAccess rows{
        0, step.warp, step.site, step.kind, space, step.bytes, static_cast<uint32_t>(stride), first};
    observe::Shortcuts& own = *bench.race.shortcuts(0);
    const bool noted = space == observe::MemorySpace::Shared
                           ? step.kind == AccessKind::Load && note_read(own, step.warp, rows)
                           : space == observe::MemorySpace::Global && lanes == 32 && stride == 4 && step.bytes == 4 &&
                                 note_line(own, step.warp, step.kind, step.site, first[0]);
    return noted || bench.race.on_rows(rows);
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
      if ((way == Way::Rows || way == Way::Noted) && tell_rows(bench, step, base, way == Way::Noted)) continue;
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
      ASSERT_TRUE(std::ranges::includes(expected, found(program, Way::Noted, base))) << "noted, seed " << seed;
      if (maker.crowded() && base == global_base) continue;
      ASSERT_EQ(found(program, Way::Rows, base), whole) << "rows, seed " << seed;
      ASSERT_EQ(found(program, Way::Noted, base), whole) << "noted, seed " << seed;
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

// Whole lines of global memory, which have a word each: blocks take turns, warps go round loops, some steps are behind
// a barrier. With and without the words the same accesses are found to race, and those of the definition.
TEST(RacePaths, WordsOfLinesComeToTheDefinition) {
  struct Access {
    uint64_t block = 0;
    uint32_t warp = 0;
    AccessKind kind = AccessKind::Load;
    SiteId site = 0;
    uint64_t line = 0;
    int phase = 0;
  };
  constexpr uint32_t blocks = 2;
  size_t racing = 0, noted = 0;
  for (uint32_t seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    std::vector<Access> steps;
    std::array<int, blocks> phase{};
    const uint32_t lines = 1 + below(6);
    for (SiteId site = 1; site < 12;) {
      const uint64_t block = below(blocks);
      if (below(6) == 0) ++phase[block];
      const auto kind = below(3) == 0 ? AccessKind::Store : AccessKind::Load;
      for (uint32_t warp = 0; warp < warps; ++warp) // an instruction of several warps, as a rule each with its own line
        if (below(4) != 0) {
          const uint64_t line = below(5) == 0 ? below(lines) : block * warps + warp;
          steps.push_back({block, warp, kind, site, line, phase[block]});
        }
      site += below(3) != 0 ? 1 : 0; // again, with another record if there was a barrier
      if (!steps.empty() && steps.back().site == site && steps.back().kind != kind) ++site;
    }
    // One kind and one block for a site: what an instruction does is always the same.
    for (auto& a : steps)
      for (const auto& b : steps)
        if (a.site == b.site) {
          a.kind = b.kind;
          break;
        }
    const auto run = [&](bool may_note) {
      RaceBench bench(warps * warp_size, blocks);
      std::array<int, blocks> at{};
      uint64_t last = blocks;
      for (const auto& a : steps) {
        if (a.phase != at[a.block]) bench.race.on_block_barrier({RaceBench::ref(a.block), 902});
        at[a.block] = a.phase;
        observe::Shortcuts* own = a.block != last || !may_note ? bench.race.shortcuts(a.block) : nullptr;
        static observe::Shortcuts* present = nullptr;
        if (own != nullptr) present = own;
        last = a.block;
        const uint64_t first = global_base + a.line * 128;
        if (may_note && note_line(*present, a.warp, a.kind, a.site, first)) {
          ++noted;
          continue;
        }
        const observe::RowsAccess rows{a.block, a.warp, a.site,     a.kind, observe::MemorySpace::Global,
                                       4,       4,      {&first, 1}};
        if (!bench.race.on_rows(rows)) bench.warp(a.block, a.warp, a.kind, a.site, first, 4);
      }
      bench.race.on_launch_end();
      Pairs out;
      for (const Finding& f : bench.sink.findings)
        out.insert(std::minmax(SiteId(f.at.at.stack[0].line), SiteId(f.others.at(0).at.stack[0].line)));
      return out;
    };
    Pairs expected;
    for (size_t i = 0; i < steps.size(); ++i)
      for (size_t k = i + 1; k < steps.size(); ++k) {
        const Access &a = steps[i], &b = steps[k];
        const bool ordered = a.block == b.block && (a.warp == b.warp || a.phase != b.phase);
        const bool writes = a.kind != AccessKind::Load || b.kind != AccessKind::Load;
        if (a.line == b.line && writes && !ordered) expected.insert(std::minmax(a.site, b.site));
      }
    racing += expected.size();
    const Pairs told = run(false), with_words = run(true);
    ASSERT_TRUE(std::ranges::includes(expected, with_words)) << "seed " << seed;
    ASSERT_EQ(with_words, told) << "seed " << seed;
    ASSERT_EQ(told.empty(), expected.empty()) << "seed " << seed;
  }
  EXPECT_GT(racing, programs);
  EXPECT_GT(noted, programs);
}

} // namespace tollgate::checks::testing
