// What most accesses are: weak, of whole warps, in rows. Here they meet the shadow as long as that is simple; all else
// is told as an event and looked at in race_touch.cpp.
#include "checks/race/own_cell.h"
#include "checks/race/race_check.h"

#include <bit>
#include <immintrin.h>
#include <utility>

namespace tollgate::checks::race {

using observe::AccessKind;
using observe::MemoryEvent;
using observe::MemorySpace;
using observe::RowsAccess;

namespace {

// One more read of a line that only reads have met. Of each stretch the last two stay, by different threads if they
// can: one of them is not the thread that writes next.
bool add_read(Cell& line, const Slot& fresh, const Access& access, const AccessRecords& records) {
  constexpr uint64_t stretch = uint64_t{2047} << Slot::first_at;
  const auto same = [](const Slot& a, const Slot& b, uint64_t bits) { return ((a.word() ^ b.word()) & bits) == 0; };
  for (Slot& slot : line.slots) {
    if (slot.empty()) slot = fresh;
    if (slot == fresh) return true;
    if (!slot.is_load()) return false;
    if (!same(slot, fresh, Slot::place)) continue; // slots tell the threads of one block apart
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
bool settle_plain(Cell& line, const Slot& fresh, const Access& access, const AccessRecords& records) {
  auto& slots = line.slots;
  if (slots[0].empty()) {
    slots[0] = fresh;
    return true;
  }
  if (fresh.is_load() && slots[0].is_load()) return add_read(line, fresh, access, records);
  if (!slots[1].empty() || ((slots[0].word() ^ fresh.word()) & Slot::place) != 0) return false;
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

enum class Settled : uint8_t { Yes, No, Full };

// A stretch of a line of shared memory that has met only this block since its last barrier, in the slots `live`: what
// it does not overlap stays, and reads among reads; what the same threads did in the same place it takes the place of.
// No: other threads did something that counts. Full: there is no slot left.
Settled settle_live(Cell& line, const Slot& fresh, const Access& access, const AccessRecords& records, unsigned live) {
  Cell kept;
  unsigned count = 0;
  for (; live != 0; live &= live - 1) {
    const Slot slot = line.slots[static_cast<unsigned>(std::countr_zero(live))];
    if (slot == fresh) return Settled::Yes;
    if (((slot.word() ^ fresh.word()) & Slot::place) == 0) {
      const AccessRecord* earlier = records.find(slot.access());
      if (earlier == nullptr || earlier->bytes != access.bytes || earlier->is_strong()) return Settled::No;
      if (slot.is_load() || !fresh.is_load()) continue;
    } else if (slot.meets(fresh) && !(slot.is_load() && fresh.is_load())) {
      return Settled::No;
    }
    kept.slots[count++] = slot;
  }
  if (count == slots_per_cell) return Settled::Full;
  kept.slots[count] = fresh;
  line = kept;
  return Settled::Yes;
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
    const Settled settled = settle_live(*line, fresh, access, records_, live_slots(*line, past));
    const auto is_load = [](const Slot& slot) { return slot.is_load(); };
    if (settled != Settled::Full || !load || !std::ranges::all_of(line->slots, is_load)) return settled == Settled::Yes;
    page.hold_reads(address, *line, past, shadow_);
    return page.note_read(address, fresh, past);
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

// What generated code does by itself (observe/shortcuts.h), for the warps that it leaves: the line's word stays.
bool RaceCheck::settle_word(const Block& block, uint64_t address, const Slot& fresh, const Access& access) const {
  if (fresh.granules() != granules_per_line || access.bytes != granule_bytes || !shadow_.words().has(address))
    return false;
  Slot& word = shadow_.words().of(address);
  const bool own = ((word.word() ^ fresh.word()) & Slot::place) == 0 && word.access() >= block.shortcuts.own_records &&
                   (word.is_load() || !fresh.is_load());
  if (word.access() >= records_.first() && !own) return false;
  word = fresh;
  return true;
}

// Lanes side by side from `lane` on: [start, end), whole granules.
bool RaceCheck::touch_row(const Block& block, const Access& access, AccessId id, uint32_t lane, uint64_t start,
                          uint64_t end, bool in_words) {
  const auto shift = static_cast<unsigned>(std::countr_zero(uint32_t{access.bytes}));
  for (uint64_t at = start; at < end;) {
    const uint64_t line_end = std::min(end, (at | (line_bytes - 1)) + 1);
    const Slot fresh{id,
                     access,
                     lane + static_cast<uint32_t>((at - start) >> shift),
                     whole_granule,
                     static_cast<uint32_t>(at % line_bytes / granule_bytes),
                     static_cast<uint32_t>((line_end - at) / granule_bytes)};
    Shadow::Page* page = in_words && settle_word(block, at, fresh, access) ? nullptr : shadow_.page(at, block.cluster);
    if (page != nullptr) {
      if (page->is_shared() && block.past != 0) {
        if (!settle_shared(*page, at, fresh, access, block.past)) return false;
      } else {
        Cell* line = page->line(at);
        if (line == nullptr || !settle_plain(*line, fresh, access, records_)) return false;
      }
    }
    at = line_end;
  }
  return true;
}

bool RaceCheck::touch_rows(const Block& block, const RowsAccess& rows, const Access& access, AccessId id) {
  const auto lanes = static_cast<uint32_t>(rows.lanes / rows.first.size()); // of a row
  const uint32_t bytes = rows.bytes;
  const bool global = rows.space == MemorySpace::Global;
  for (size_t row = 0; row < rows.first.size();) {
    const uint64_t start = rows.first[row];
    const auto lane = rows.lane + static_cast<uint32_t>(row) * lanes;
    size_t next = row + 1;
    const auto follows = [&] { return start + (next - row) * lanes * rows.stride; }; // what makes it one row
    while (next < rows.first.size() && rows.first[next] == follows()) ++next;
    const uint32_t last = rows.lane + static_cast<uint32_t>(next) * lanes - 1;
    if ((start & (std::max(bytes, granule_bytes) - 1)) != 0) return false;
    const auto touch_one = [&](uint32_t one) {
      const uint64_t at = start + (one - lane) * rows.stride;
      return touch_row(block, access, id, one, at, at + bytes, false);
    };
    if (rows.stride == bytes) {
      const uint64_t end = follows();
      if (end % granule_bytes != 0 || !touch_row(block, access, id, lane, start, end, global)) return false;
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
  if (rows.space == MemorySpace::Global) return look_at_rows(of(rows.block), rows);
  Block& block = settled(rows.block);
  block.written |= rows.kind == AccessKind::Store;
  return look_at_rows(block, rows);
}

bool RaceCheck::look_at_rows(Block& block, const RowsAccess& rows) {
  if (!is_plain(block, rows.kind)) return false;
  Access access;
  access.block = rows.block;
  access.time = block.clocks.now();
  access.site = rows.site;
  access.warp = rows.warp;
  access.kind = rows.kind;
  access.bytes = static_cast<uint8_t>(rows.bytes);
  Recorded& own = record(block, access);
  if (!touch_rows(block, rows, access, own.id)) return false; // the event that comes now is this pass
  note_pass(own, rows.warp);
  return true;
}

namespace {

// The granules of 32 addresses, from the first one of the page where `first` is, and the lines of the page that they
// are in, a bit each. `differ`: the bits in which any address differs from `first`.
struct Granules {
  Granules(const uint64_t* each, uint64_t first) {
    const __m256i one = _mm256_set1_epi32(1), last = _mm256_set1_epi32(Shadow::page_bytes / granule_bytes - 1),
                  even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6),
                  base = _mm256_set1_epi64x(static_cast<int64_t>(first));
    __m256i differs = _mm256_setzero_si256(), in = differs;
    for (uint32_t lane = 0; lane < observe::warp_size; lane += 8) {
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(each + lane)),
                    b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(each + lane + 4));
      differs = _mm256_or_si256(differs, _mm256_or_si256(_mm256_xor_si256(a, base), _mm256_xor_si256(b, base)));
      const __m256i low =
          _mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, even), _mm256_permutevar8x32_epi32(b, even), 0xf0);
      const __m256i at = _mm256_and_si256(_mm256_srli_epi32(low, 2), last);
      static_assert(granule_bytes == 4 && granules_per_line == 32);
      _mm256_store_si256(reinterpret_cast<__m256i*>(granule + lane), at);
      in = _mm256_or_si256(in, _mm256_sllv_epi32(one, _mm256_srli_epi32(at, 5)));
    }
    alignas(32) uint64_t bits[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(bits), differs);
    differ = bits[0] | bits[1] | bits[2] | bits[3];
    _mm256_store_si256(reinterpret_cast<__m256i*>(bits), in);
    const uint64_t both = bits[0] | bits[1] | bits[2] | bits[3];
    lines = static_cast<uint32_t>(both | both >> 32);
  }
  alignas(32) uint32_t granule[observe::warp_size];
  uint32_t lines = 0;
  uint64_t differ = 0;
};

} // namespace

// A warp's step of a histogram: lines that hold updates alone, and nothing that the threads publish or learn.
bool RaceCheck::on_updates(const observe::UpdatesAccess& updates) {
  Block& block = settled(updates.block);
  block.written = true;
  const LaneState* common = block.clocks.common_state(updates.warp);
  if (common == nullptr || common->fence_block.taken || !block.copies.empty() || !sync_.empty()) return false;
  const uint64_t first = updates.address[0];
  const Granules at(updates.address, first);
  if (at.differ == 0 || at.differ >= Shadow::page_bytes) return false;
  Shadow::Page* page = shadow_.page(first, block.cluster);
  if (page == nullptr || page->hold_updates(at.lines, page->is_shared() ? block.past : 0) != at.lines) return false;
  Access access;
  access.block = updates.block;
  access.time = block.clocks.now();
  access.site = updates.site;
  access.warp = updates.warp;
  access.kind = AccessKind::Atomic;
  access.order = observe::Order::Relaxed;
  access.scope = observe::SyncScope::Gpu;
  access.bytes = granule_bytes;
  access.many_lanes = true;
  Recorded& own = record(block, access);
  note_pass(own, updates.warp);
  page->updates().note_all(at.granule, {own.id, access, 0, whole_granule});
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

// --- reads of shared memory that the code has noted -----------------------------------------------------------------

namespace {

// fn(rows) for each.
template <typename Fn> void each_read(uint64_t block, const uint64_t* at, const uint64_t* end, Fn fn) {
  while (at != end) {
    const auto rows = static_cast<size_t>(at[1] >> observe::Shortcuts::rows_at & 255);
    RowsAccess read;
    read.block = block;
    read.warp = at[1] & 255;
    read.site = static_cast<observe::SiteId>(at[0] >> 32);
    read.kind = AccessKind::Load;
    read.space = MemorySpace::Shared;
    read.bytes = static_cast<uint32_t>(at[0] & UINT32_MAX);
    read.stride = static_cast<uint32_t>(at[1] >> observe::Shortcuts::stride_at);
    read.first = {at + 2, rows};
    fn(read);
    at += 2 + rows;
  }
}

} // namespace

// Somebody may write now, or the clocks move: each meets the shadow, in the order they came.
void RaceCheck::settle_reads(Block& block) {
  const uint64_t* end = std::exchange(block.shortcuts.reads_at, block.reads.get()); // no read is looked at twice
  each_read(block.clocks.block(), block.reads.get(), end, [&](const RowsAccess& read) {
    if (look_at_rows(block, read)) return;
    alignas(64) uint64_t each[observe::warp_size];
    for (uint32_t lane = 0; lane < observe::warp_size; ++lane)
      each[lane] = observe::address_in_rows(read.first, read.stride, lane);
    MemoryEvent event;
    event.block.linear = read.block;
    event.warp = read.warp;
    event.mask = ~LaneMask{0};
    event.site = read.site;
    event.space = read.space;
    event.bytes = read.bytes;
    event.address = observe::LaneAddresses(each).settled(event.mask);
    look_at(event);
  });
}

// Before a barrier of all threads, and at the end.
void RaceCheck::end_phase(Block& block) {
  if (!block.has_reads()) return;
  if (block.written)
    settle_reads(block);
  else
    drop_reads(block);
}

// Nothing can race with them. That the warps came by remains.
void RaceCheck::drop_reads(Block& block) {
  const uint64_t* end = std::exchange(block.shortcuts.reads_at, block.reads.get());
  each_read(block.clocks.block(), block.reads.get(), end, [&](const RowsAccess& read) {
    Recorded& own = block.recorded[read.site % recorded_per_block];
    if (passes(block, read.site) == 0) own = {block.clocks.now(), 0, read.site, 0};
    note_pass(own, read.warp);
  });
}

} // namespace tollgate::checks::race
