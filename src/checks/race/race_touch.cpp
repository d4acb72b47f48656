// How an access meets the shadow. Three ways that come to the same: a stretch of lanes side by side in one step for
// each line; cell by cell, where all that matters is known of the records met before (Bearings); and lane by lane, for
// what those two cannot decide. Only the last reports.
#include "base/each_lane.h"
#include "checks/race/own_cell.h"
#include "checks/race/race_check.h"

#include <algorithm>
#include <bit>
#include <immintrin.h>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::MemoryEvent;

namespace {

constexpr LaneMask lanes_from(uint32_t first, uint32_t count) {
  return (count == observe::warp_size ? ~LaneMask{0} : (LaneMask{1} << count) - 1) << first;
}

// The part of a granule that [from, to) covers.
uint32_t bytes_of(uint64_t granule, uint64_t from, uint64_t to) {
  const uint64_t begin = std::max(granule, from), end = std::min(granule + granule_bytes, to);
  return ((1u << (end - begin)) - 1) << (begin - granule);
}

// The lanes, up to the last but one, whose neighbour's address is `bytes` more than their own.
LaneMask followed(const uint64_t* address, uint64_t bytes) {
  LaneMask out = 0;
  const __m256i more = _mm256_set1_epi64x(static_cast<int64_t>(bytes));
  for (uint32_t lane = 0; lane < observe::warp_size - 4; lane += 4) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane + 1));
    const __m256i next = _mm256_cmpeq_epi64(_mm256_add_epi64(a, more), b);
    out |= static_cast<LaneMask>(_mm256_movemask_pd(_mm256_castsi256_pd(next))) << lane;
  }
  for (uint32_t lane = observe::warp_size - 4; lane + 1 < observe::warp_size; ++lane)
    out |= LaneMask{address[lane] + bytes == address[lane + 1]} << lane;
  return out;
}

// Lanes that read the same as the one before and the one behind: those two stand for them.
LaneMask within_runs(const uint64_t* address) {
  const LaneMask as_next = followed(address, 0);
  return as_next & (as_next << 1);
}

} // namespace

void RaceCheck::touch(const Visit& seen, const BlockClocks& clocks, LaneMask lanes) {
  const LaneState* common = clocks.common_state(seen.access.warp);
  if (common == nullptr) return touch_each(seen, clocks, lanes);
  Visit visit = seen;
  visit.state = common;
  Bearings known(records_, visit.access, visit.id, *common);
  if (touch_lines(visit, known)) return;
  if (visit.event.mask == ~LaneMask{0} && !visit.event.address.in_line()) {
    if (touch_runs(visit, known)) return;
    if (visit.access.kind == AccessKind::Load) lanes &= ~within_runs(visit.event.address.each());
  }
  touch_granules(visit, known, lanes);
}

// `kept`: the slots that stay, of `used`; of those, `loads` may be given up first.
inline void RaceCheck::put(Cell& cell, const Slot& fresh, unsigned used, unsigned kept, unsigned loads) {
  unsigned count = used;
  if (kept != (1u << used) - 1) {
    count = 0;
    for (unsigned i = 0; i < used; ++i)
      if ((kept >> i & 1) != 0) cell.slots[count++] = cell.slots[i];
    for (unsigned i = count + 1; i < used; ++i) cell.slots[i] = {};
  } else if (used == slots_per_cell) {
    count = loads != 0 ? static_cast<unsigned>(std::bit_width(loads)) - 1 : turn_++ % slots_per_cell;
  }
  cell.slots[count] = fresh;
}

// --- stretches ------------------------------------------------------------------------------------------------------

// Weak accesses of lanes side by side, whole granules. False: it is none.
bool RaceCheck::touch_lines(Visit& visit, Bearings& known) {
  const MemoryEvent& event = visit.event;
  if (visit.access.is_strong() || !event.address.in_line() || event.address.stride() != event.bytes) return false;
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.mask));
  const LaneMask run = event.mask >> lane;
  return (run & (run + 1)) == 0 && touch_stretch(visit, known, lane, static_cast<uint32_t>(std::popcount(run)));
}

// The same for a few stretches: the two rows of a tile of 16 columns.
bool RaceCheck::touch_runs(Visit& visit, Bearings& known) {
  const uint64_t* address = visit.event.address.each();
  LaneMask ends = ~followed(address, visit.event.bytes) | LaneMask{1} << (observe::warp_size - 1);
  if (visit.access.is_strong() || std::popcount(ends) > 4) return false;
  for (uint32_t lane = 0; ends != 0; ends &= ends - 1) {
    const uint32_t next = static_cast<uint32_t>(std::countr_zero(ends)) + 1;
    if (!touch_stretch(visit, known, lane, next - lane)) touch_granules(visit, known, lanes_from(lane, next - lane));
    lane = next;
  }
  return true;
}

// `count` lanes from `lane` on, side by side. False: not whole granules.
bool RaceCheck::touch_stretch(Visit& visit, Bearings& known, uint32_t lane, uint32_t count) {
  const uint32_t bytes = visit.event.bytes;
  const uint64_t start = visit.event.address[lane], end = start + count * uint64_t{bytes};
  if (bytes > 16 || !std::has_single_bit(bytes)) return false;
  if ((start & (std::max(bytes, granule_bytes) - 1)) != 0 || end % granule_bytes != 0) return false;
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  for (uint64_t at = start; at < end;) {
    const uint64_t line_end = std::min(end, (at | (line_bytes - 1)) + 1);
    if (Shadow::Page* page = shadow_.page(at, visit.cluster)) {
      const auto first_lane = lane + static_cast<uint32_t>((at - start) >> shift);
      const Slot fresh{visit.id,
                       visit.access,
                       first_lane,
                       whole_granule,
                       static_cast<uint32_t>(at % line_bytes / granule_bytes),
                       static_cast<uint32_t>((line_end - at) / granule_bytes)};
      const AccessId past = page->is_shared() ? visit.past : 0;
      Cell* line = page->line(at);
      if (line == nullptr && past != 0 && fresh.granules() == granules_per_line &&
          visit.access.kind == AccessKind::Store && page->is_past(at, past))
        line = &page->fresh_line(at);
      if (line == nullptr || !settle(visit, known, *line, fresh, past))
        touch_granules(visit, known, lanes_from(first_lane, static_cast<uint32_t>((line_end - at) >> shift)));
    }
    at = line_end;
  }
  return true;
}

namespace {

// Of three lanes that read the same, two will do: one of them is not the thread that writes next. The slots that two
// others stand for, of which `fresh` may be one.
unsigned repeated_loads(const Cell& line, const Slot& fresh) {
  constexpr uint64_t stretch = uint64_t{2047} << Slot::first_at | uint64_t{1} << Slot::load_at;
  unsigned out = 0;
  for (unsigned i = 0; i < slots_per_cell; ++i) {
    const Slot slot = line.slots[i];
    if (!slot.is_load()) continue;
    Slot known; // another thread that read the same
    for (unsigned k = 0; k <= slots_per_cell; ++k) {
      const Slot other = k == slots_per_cell ? fresh : line.slots[k];
      if (((slot.word() ^ other.word()) & stretch) != 0 || other.same_thread(slot)) continue;
      if (known.empty())
        known = other;
      else if (!other.same_thread(known))
        out |= 1u << i;
    }
  }
  return out;
}

} // namespace

// False if lanes have to be told apart, or if there are too many stretches.
bool RaceCheck::settle(const Visit& visit, Bearings& known, Cell& line, const Slot& fresh, AccessId past) {
  unsigned used = 0, kept = 0, loads = 0;
  bool alike = true; // all stretches are this one
  const auto bytes = static_cast<int>(visit.access.bytes);
  auto offset = [&](const Slot& slot) { return int(slot.lane()) * bytes - int(slot.first() * granule_bytes); };
  for (; used < slots_per_cell && !line.slots[used].empty(); ++used) {
    const Slot slot = line.slots[used];
    if (slot == fresh) return true; // it was here before, at the same time
    if (slot.access() < past) continue;
    const bool recent = visit.past != 0 && slot.access() >= visit.past; // not ordered by a barrier of this block
    if (recent && fresh.is_load() && slot.is_load() && !slot.same_thread(fresh)) { // readers are in no conflict
      kept |= 1u << used;
      loads |= 1u << used;
      alike = alike && slot.first() == fresh.first() && slot.granules() == fresh.granules();
      continue;
    }
    const Bearings::Entry& earlier = known.of(slot);
    const bool same_lanes = earlier.bytes == bytes && offset(slot) == offset(fresh);
    const unsigned is =
        always | (fresh.covers(slot) ? if_within : never) | (slot.meets(fresh) ? if_overlapping : never);
    if ((earlier.clash[same_lanes] & is) != 0) return false;
    if ((earlier.over[same_lanes] & is) != 0) continue;
    kept |= 1u << used;
    loads |= unsigned{slot.is_load()} << used;
    alike = alike && slot.first() == fresh.first() && slot.granules() == fresh.granules();
  }
  if (kept == (1u << slots_per_cell) - 1 && !alike) {
    loads = repeated_loads(line, fresh);
    if (loads == 0) return false;
  }
  put(line, fresh, used, kept, loads);
  return true;
}

// --- cells ----------------------------------------------------------------------------------------------------------

namespace {

// What is true of the bytes of an earlier and a fresh access.
constexpr auto relations = [] {
  std::array<std::array<When, 16>, 16> out{};
  for (unsigned fresh = 0; fresh < 16; ++fresh)
    for (unsigned old = 0; old < 16; ++old)
      out[fresh][old] =
          static_cast<When>(always | ((old & ~fresh) == 0 ? if_within : never) | (old == fresh ? if_equal : never) |
                            ((old & fresh) != 0 ? if_overlapping : never));
  return out;
}();

} // namespace

// Histograms and counters: an update takes the place of the one that it observes. Two lanes of an instruction, and of
// its rounds, stand for all. The lanes that met anything else.
LaneMask RaceCheck::touch_updates(const Visit& visit, LaneMask lanes) {
  const observe::LaneAddresses& address = visit.event.address;
  const uint64_t first = address[static_cast<uint32_t>(std::countr_zero(lanes))];
  Shadow::Page* page = shadow_.page(first, visit.cluster);
  const Slot update{visit.id, visit.access, 0, whole_granule};
  if (page == nullptr || !update.is_update()) return lanes;
  uint32_t granule[observe::warp_size]; // from the first one of the page
  uint32_t lines = 0;
  LaneMask here = 0;
  each_lane(lanes, [&](uint32_t lane) {
    if ((address[lane] ^ first) >= Shadow::page_bytes) return;
    here |= LaneMask{1} << lane;
    granule[lane] = static_cast<uint32_t>(address[lane] % Shadow::page_bytes / granule_bytes);
    lines |= 1u << granule[lane] / granules_per_line;
  });
  const uint32_t held = page->hold_updates(lines, page->is_shared() ? visit.past : 0);
  if (held == 0) return lanes;
  LaneMask noted = here;
  if (held != lines)
    each_lane(here, [&](uint32_t lane) {
      if ((held >> granule[lane] / granules_per_line & 1) == 0) noted &= ~(LaneMask{1} << lane);
    });
  page->updates().note(granule, noted, update);
  return lanes & ~noted;
}

// What can be told at a glance; the lanes that are left.
LaneMask RaceCheck::touch_whole(const Visit& visit, Bearings& known, LaneMask lanes) {
  const observe::LaneAddresses& address = visit.event.address;
  const uint32_t size = visit.event.bytes;
  const bool weak_load = visit.access.kind == AccessKind::Load && !visit.access.is_strong();
  const bool weak = !visit.access.is_strong();
  const Slot any_lane{visit.id, visit.access, 0, whole_granule};
  uint64_t number = ~uint64_t{0};
  Shadow::Page* page = nullptr;
  AccessId past = 0;
  LaneMask left = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t at = address[lane];
    if (at / Shadow::page_bytes != number) [[unlikely]] {
      number = at / Shadow::page_bytes;
      page = shadow_.page(at, visit.cluster);
      past = page != nullptr && page->is_shared() ? visit.past : 0;
    }
    if (page == nullptr) continue;
    Cell* cell = &page->cell(at, shadow_, records_);
    const Slot fresh = any_lane.of_lane(lane);
    for (uint32_t done = 0; done < size; done += granule_bytes, ++cell)
      if (!(weak && past != 0 && settle_own(*cell, fresh, past)) && !settle_whole(known, *cell, fresh, past, weak_load))
        left |= LaneMask{1} << lane;
  }
  return left;
}

// `past`: in shared memory, the first record after the last barrier of the block.
inline bool RaceCheck::settle_whole(Bearings& known, Cell& cell, const Slot& fresh, AccessId past, bool weak_load) {
  unsigned used = 0, kept = 0, loads = 0;
  for (; used < slots_per_cell && !cell.slots[used].empty(); ++used) {
    const Slot slot = cell.slots[used];
    if (slot == fresh) return true; // it was here before, at the same time
    if (slot.access() < past) continue;
    bool stays = false;
    if (weak_load && slot.is_load() && !slot.same_thread(fresh)) { // readers are in no conflict
      stays = true;
    } else {
      const Bearings::Entry& earlier = known.of(slot);
      const unsigned own_lane = slot.lane() == fresh.lane() ? 1 : 0, whole = slot.bytes() == whole_granule ? 2 : 0;
      const Bearings::Fate fate = earlier.fate[own_lane + whole];
      if (fate == Bearings::Fate::Unclear) return false;
      stays = fate == Bearings::Fate::Kept;
    }
    kept |= unsigned{stays} << used;
    loads |= unsigned{stays && slot.is_load()} << used;
  }
  put(cell, fresh, used, kept, loads);
  return true;
}

void RaceCheck::touch_granules(Visit& visit, Bearings& known, LaneMask lanes) {
  uint64_t bits = visit.event.bytes;
  if (visit.event.address.in_line())
    bits |= visit.event.address[0] | visit.event.address.stride();
  else
    each_lane(lanes, [&](uint32_t lane) { bits |= visit.event.address[lane]; });
  const bool whole = bits % granule_bytes == 0 && visit.event.bytes <= 16 && std::has_single_bit(visit.event.bytes) &&
                     (bits & (visit.event.bytes - 1)) == 0;
  if (whole && visit.access.kind == AccessKind::Atomic && visit.event.bytes == granule_bytes)
    lanes = touch_updates(visit, lanes);
  if (lanes != 0) touch_cells(visit, known, whole ? touch_whole(visit, known, lanes) : lanes);
}

void RaceCheck::touch_cells(Visit& visit, Bearings& known, LaneMask lanes) {
  const MemoryEvent& event = visit.event;
  const uint32_t size = event.bytes;
  uint64_t number = ~uint64_t{0};
  Shadow::Page* page = nullptr;
  each_lane(lanes, [&](uint32_t lane) {
    const uint64_t address = event.address[lane], end = address + size;
    Slot fresh{visit.id, visit.access, lane, whole_granule};
    const bool whole = ((address | size) & (granule_bytes - 1)) == 0;
    for (uint64_t at = address & ~uint64_t{granule_bytes - 1}; at < end; at += granule_bytes) {
      if (at / Shadow::page_bytes != number) [[unlikely]] {
        number = at / Shadow::page_bytes;
        page = shadow_.page(at, visit.cluster);
      }
      if (page == nullptr) return;
      if (!whole) fresh = {visit.id, visit.access, lane, bytes_of(at, address, end)};
      Cell& cell = page->cell(at, shadow_, records_);
      if (settle(known, cell, fresh, page->is_shared() ? visit.past : 0)) continue;
      visit.lane = lane;
      touch_cell(visit, cell, std::max(at, address), fresh.bytes(), page->is_shared() ? visit.past : 0);
    }
  });
}

// False if it may be a conflict, or if the lanes of an earlier access have to be told apart.
inline bool RaceCheck::settle(Bearings& known, Cell& cell, const Slot& fresh, AccessId past) {
  unsigned used = 0, kept = 0, loads = 0, clash = 0, own_updates = 0;
  const auto& relation = relations[fresh.bytes()];
  for (; used < slots_per_cell && !cell.slots[used].empty(); ++used) {
    const Slot slot = cell.slots[used];
    if (slot == fresh) return true; // it was here before, at the same time
    if (slot.access() < past) continue;
    const Bearings::Entry& earlier = known.of(slot);
    const unsigned is = relation[slot.bytes()];
    const bool own_lane = slot.lane() == fresh.lane();
    bool over = (earlier.over[own_lane] & is) != 0;
    clash |= earlier.clash[own_lane] & is;
    if (earlier.own_update && !own_lane && (is & if_equal) != 0) over = ++own_updates > 1;
    kept |= unsigned{!over} << used;
    loads |= unsigned{slot.is_load() && !over} << used;
  }
  if (clash != 0) return false;
  put(cell, fresh, used, kept, loads);
  return true;
}

// --- lane by lane ---------------------------------------------------------------------------------------------------

void RaceCheck::touch_each(Visit visit, const BlockClocks& clocks, LaneMask lanes) {
  each_lane(lanes, [&](uint32_t lane) {
    visit.lane = lane;
    visit.state = &clocks.state(visit.access.warp, lane);
    const uint64_t address = visit.event.address[lane], end = address + visit.event.bytes;
    for (uint64_t at = address & ~uint64_t{granule_bytes - 1}; at < end; at += granule_bytes) {
      Shadow::Page* page = shadow_.page(at, visit.cluster);
      if (page == nullptr) return;
      touch_cell(visit, page->cell(at, shadow_, records_), std::max(at, address), bytes_of(at, address, end),
                 page->is_shared() ? visit.past : 0);
    }
  });
}

// In shared memory nobody asks any more for what the whole block has left behind.
void RaceCheck::touch_cell(const Visit& visit, Cell& cell, uint64_t address, uint32_t bytes, AccessId past) {
  const Access& access = visit.access;
  unsigned used = 0, kept = 0, loads = 0, own_updates = 0;
  for (; used < slots_per_cell && !cell.slots[used].empty(); ++used) {
    const Slot slot = cell.slots[used];
    const std::optional<Access> earlier = access_of(slot, records_);
    if (!earlier) continue;
    const bool one_instruction = visit.made(slot);
    const bool one_block = earlier->block == access.block;
    if (slot.access() < past) continue;
    bool ordered = one_block && earlier->warp == access.warp && slot.lane() == visit.lane; // program order
    // One update after another of the same place is what most atomics meet: no search needed.
    if (!ordered) ordered = slot.bytes() == bytes && observes(access, *earlier, one_instruction);
    if (!ordered) {
      const bool conflict = (slot.bytes() & bytes) != 0 && (earlier->writes() || access.writes());
      // Accesses of other blocks are looked at only if they matter: the search costs.
      ordered = (one_block || conflict) &&
                visit.state->clock->covers({earlier->block, earlier->warp, slot.lane(), earlier->time});
      if (conflict && !ordered) {
        const bool both_atomic = earlier->kind == AccessKind::Atomic && access.kind == AccessKind::Atomic;
        const bool whole = both_atomic || (earlier->bytes == access.bytes && slot.bytes() == bytes);
        const bool strong = earlier->is_strong() && access.is_strong();
        if (!strong || !scopes_include(*earlier, access) || !whole) {
          found(visit, *earlier, slot, address, strong && !whole);
          ordered = true; // said once
        } else if (one_block && earlier->warp == access.warp && !both_atomic && earlier->kind != AccessKind::Atomic &&
                   access.kind != AccessKind::Atomic && earlier->many_lanes && access.many_lanes) {
          found(visit, *earlier, slot, address, false);
        }
      }
    }
    bool over = ordered && supersedes(access, *earlier) && (slot.bytes() & ~bytes) == 0;
    // Of the lanes of one update, and of its rounds, two will do: one of them is not the thread that comes next.
    if (!ordered && one_instruction && slot.bytes() == bytes && both_update(access, *earlier)) over = ++own_updates > 1;
    if (over) continue;
    kept |= 1u << used;
    loads |= unsigned{slot.is_load()} << used;
  }
  put(cell, {visit.id, access, visit.lane, bytes}, used, kept, loads);
}

} // namespace tollgate::checks::race
