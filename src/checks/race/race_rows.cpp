// What most accesses are: weak, of whole warps, in rows. Here they meet the shadow as long as that is simple; all else
// is told as an event and looked at in race_touch.cpp.
#include "checks/race/own_cell.h"
#include "checks/race/race_check.h"

#include <bit>
#include <utility>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::MemoryEvent;
using observe::MemorySpace;
using observe::RowsAccess;

namespace {

// The lanes and the bytes of a stretch.
constexpr uint64_t place = uint64_t{1023} << Slot::lane_at | uint64_t{2047} << Slot::first_at;

// One more read of a line that only reads have met. Of each stretch the last two stay, by different threads if they
// can: one of them is not the thread that writes next.
bool add_read(Cell& line, const Slot& fresh, const Access& access, const AccessRecords& records) {
  constexpr uint64_t stretch = uint64_t{2047} << Slot::first_at;
  const auto same = [](const Slot& a, const Slot& b, uint64_t bits) { return ((a.word() ^ b.word()) & bits) == 0; };
  for (Slot& slot : line.slots) {
    if (slot.empty()) slot = fresh;
    if (slot == fresh) return true;
    if (!slot.is_load()) return false;
    if (!same(slot, fresh, place)) continue; // slots tell the threads of one block apart
    const AccessRecord* earlier = records.find(slot.access());
    if (earlier != nullptr && earlier->block != access.block) continue;
    slot = fresh;
    return true;
  }
  for (const auto& [of, enough] : {std::pair{fresh, 2}, std::pair{line.slots[0], 3}, std::pair{line.slots[1], 3}}) {
    Slot* oldest = nullptr;
    int count = 0;
    for (Slot& slot : line.slots) {
      if (!same(slot, of, stretch)) continue;
      ++count;
      if (oldest == nullptr || slot.access() < oldest->access()) oldest = &slot;
    }
    if (count < enough) continue;
    *oldest = fresh;
    return true;
  }
  return false;
}

// Whether that is all there is to it: a stretch that meets nothing, nothing but other reads as a read, or this warp's
// own last access of the same bytes.
bool settle_plain(Cell& line, const Slot& fresh, const Access& access, const AccessRecords& records, AccessId past) {
  auto& slots = line.slots;
  if (slots[0].empty() || (slots[1].empty() && slots[0].access() < past)) {
    slots[0] = fresh;
    return true;
  }
  if (fresh.is_load() && slots[0].is_load()) return add_read(line, fresh, access, records);
  if (!slots[1].empty() || ((slots[0].word() ^ fresh.word()) & place) != 0) return false;
  const AccessRecord* earlier = records.find(slots[0].access());
  if (earlier == nullptr || earlier->block != access.block || earlier->bytes != access.bytes || earlier->is_strong())
    return false;
  slots[fresh.is_load() && !slots[0].is_load() ? 1 : 0] = fresh;
  return true;
}

// The slots that are in use, and not from before `past`: bits.
unsigned live_slots(const Cell& cell, AccessId past) {
  const __m256i slots = _mm256_load_si256(reinterpret_cast<const __m256i*>(cell.slots.data()));
  const __m256i ids = _mm256_and_si256(slots, _mm256_set1_epi64x(0xffffffff));
  const __m256i old = _mm256_cmpgt_epi64(_mm256_set1_epi64x(std::max<AccessId>(past, 1)), ids);
  return 15 & ~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(old)));
}

unsigned loads_of(const Cell& cell) {
  unsigned out = 0;
  for (unsigned i = 0; i < slots_per_cell; ++i) out |= unsigned{cell.slots[i].is_load()} << i;
  return out;
}

} // namespace

// A stretch within one line of shared memory. What was before the last barrier of the block, the record `past`, counts
// no more.
bool RaceCheck::settle_shared(Shadow::Page& page, uint64_t address, const Slot& fresh, const Access& access,
                              AccessId past) {
  const bool load = fresh.is_load();
  if (page.holds_reads(address)) {
    if (load) return page.note_read(address, fresh, past);
    if (!page.is_past(address, past)) return false;
    page.fresh_line(address).slots[0] = fresh;
    return true;
  }
  if (Cell* line = page.line(address)) {
    const unsigned live = live_slots(*line, past);
    if (live == 0) {
      *line = {};
      line->slots[0] = fresh;
      return true;
    }
    if (load && (live & ~loads_of(*line)) == 0) {
      page.hold_reads(address, *line, past, shadow_);
      return page.note_read(address, fresh, past);
    }
    return settle_plain(*line, fresh, access, records_, past);
  }
  Shadow::Granules* cells = page.granules(address);
  if (cells == nullptr) return false; // updates
  if (!load && fresh.granules() == granules_per_line && page.is_past(address, past)) {
    page.fresh_line(address).slots[0] = fresh;
    return true;
  }
  if (access.bytes < granule_bytes) return false; // several lanes to a granule
  for (uint32_t i = 0; i < fresh.granules(); ++i) {
    const uint32_t lane = fresh.lane() + i * granule_bytes / access.bytes;
    if (!settle_own((*cells)[fresh.first() + i], {fresh.access(), access, lane, whole_granule}, past)) return false;
  }
  return true;
}

// Lanes side by side from `lane` on: [start, end), whole granules.
bool RaceCheck::touch_row(const Block& block, const Access& access, AccessId id, uint32_t lane, uint64_t start,
                          uint64_t end) {
  const auto shift = static_cast<unsigned>(std::countr_zero(uint32_t{access.bytes}));
  for (uint64_t at = start; at < end;) {
    const uint64_t line_end = std::min(end, (at | (line_bytes - 1)) + 1);
    if (Shadow::Page* page = shadow_.page(at, block.cluster)) {
      const Slot fresh{id,
                       access,
                       lane + static_cast<uint32_t>((at - start) >> shift),
                       whole_granule,
                       static_cast<uint32_t>(at % line_bytes / granule_bytes),
                       static_cast<uint32_t>((line_end - at) / granule_bytes)};
      if (page->is_shared() && block.past != 0) {
        if (!settle_shared(*page, at, fresh, access, block.past)) return false;
      } else {
        Cell* line = page->line(at);
        const AccessId past = page->is_shared() ? block.past : 0;
        if (line == nullptr || !settle_plain(*line, fresh, access, records_, past)) return false;
      }
    }
    at = line_end;
  }
  return true;
}

bool RaceCheck::touch_rows(const Block& block, const RowsAccess& rows, const Access& access, AccessId id) {
  const auto lanes = static_cast<uint32_t>(observe::warp_size / rows.first.size()); // of a row
  const uint32_t bytes = rows.bytes;
  for (size_t row = 0; row < rows.first.size();) {
    const uint64_t start = rows.first[row];
    const auto lane = static_cast<uint32_t>(row) * lanes;
    size_t next = row + 1;
    const auto follows = [&] { return start + (next - row) * lanes * rows.stride; }; // what makes it one row
    while (next < rows.first.size() && rows.first[next] == follows()) ++next;
    const uint32_t last = static_cast<uint32_t>(next) * lanes - 1;
    if ((start & (std::max(bytes, granule_bytes) - 1)) != 0) return false;
    const auto touch_one = [&](uint32_t one) {
      const uint64_t at = start + (one - lane) * rows.stride;
      return touch_row(block, access, id, one, at, at + bytes);
    };
    if (rows.stride == bytes) {
      const uint64_t end = follows();
      if (end % granule_bytes != 0 || !touch_row(block, access, id, lane, start, end)) return false;
    } else if (bytes < granule_bytes) {
      return false;
    } else if (rows.stride == 0) { // two lanes stand for all that read the same
      if (!touch_one(lane) || !touch_one(last)) return false;
    } else {
      for (uint32_t one = lane; one <= last; ++one)
        if (!touch_one(one)) return false;
    }
    row = next;
  }
  return true;
}

// Nothing that needs the order of things, or more than the shadow.
bool RaceCheck::is_plain(const Block& block, AccessKind kind) const {
  return kind != AccessKind::Atomic && block.copies.empty() && (kind == AccessKind::Load || sync_.empty());
}

bool RaceCheck::on_rows(const RowsAccess& rows) {
  if (rows.space == MemorySpace::Local || rows.space == MemorySpace::Const || rows.space == MemorySpace::Param)
    return true;
  Block& block = of(rows.block);
  if (!is_plain(block, rows.kind)) return false;
  Access access;
  access.block = rows.block;
  access.time = block.clocks.now();
  access.site = rows.site;
  access.warp = rows.warp;
  access.kind = rows.kind;
  access.bytes = static_cast<uint8_t>(rows.bytes);
  access.many_lanes = rows.stride != 0 || rows.first.front() != rows.first.back();
  Recorded& own = record(block, access);
  if (!touch_rows(block, rows, access, own.id)) return false; // the event that comes now is this pass
  own.note_pass(rows.warp);
  return true;
}

// The same of an event. False: to be looked at as any other.
bool RaceCheck::touch_plain_line(const Block& block, const MemoryEvent& event, const Access& access, AccessId id) {
  const uint32_t bytes = event.bytes;
  if (access.is_strong() || event.mask != ~LaneMask{0} || !event.address.in_line() || event.address.stride() != bytes ||
      bytes > 16 || !std::has_single_bit(bytes) || event.compares || event.polls || !is_plain(block, event.kind))
    return false;
  const uint64_t first = event.address[0];
  return touch_rows(block,
                    {event.block.linear, event.warp, event.site, event.kind, event.space, bytes, bytes, {&first, 1}},
                    access, id);
}

} // namespace tollgate::checks::race
