#include "checks/race/shadow.h"

#include <algorithm>
#include <bitset>
#include <sys/mman.h>
#include <utility>

namespace tollgate::checks::race {

using observe::AllocationInfo;

void AccessRecords::grow() {
  if (ring_.capacity() < capacity) ring_.reserve(capacity); // what is not used yet takes no memory
  if (ring_.size() < capacity) ring_.emplace_back();
}

bool AccessRecords::begin_launch() {
  first_ = next_;
  if (next_ < UINT32_MAX / 2) return false;
  first_ = next_ = 1;
  return true;
}

// fn(granule, slot) for each lane of a stretch and each granule that it touches: of lanes of less than a granule there
// are several to one.
template <typename Fn> static void each_part(const Slot& stretch, const Access& access, Fn fn) {
  for (unsigned i = 0; i < stretch.granules(); ++i)
    for (unsigned byte = 0; byte < granule_bytes; byte += access.bytes) {
      const unsigned lane = stretch.lane() + (i * granule_bytes + byte) / access.bytes;
      const unsigned bytes = access.bytes >= granule_bytes ? whole_granule : ((1u << access.bytes) - 1) << byte;
      fn(stretch.first() + i, Slot{stretch.access(), access, lane, bytes});
    }
}

LineWords::LineWords(uint64_t begin, uint64_t end) : begin_(begin) {
  if (begin == end) return;
  bytes_ = (end - begin) / line_bytes * sizeof(Slot);
  at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at_ == MAP_FAILED) {
    at_ = nullptr;
    bytes_ = 0;
    return;
  }
  madvise(at_, bytes_, MADV_DONTDUMP);
  base_ = reinterpret_cast<uint64_t>(at_) - begin / line_bytes * sizeof(Slot);
}
LineWords::~LineWords() {
  if (at_ != nullptr) munmap(at_, bytes_);
}
void LineWords::clear() {
  if (at_ != nullptr) madvise(at_, bytes_, MADV_DONTNEED);
}

// A mark that no code takes for its own, and no later launch for one of its records.
void Shadow::Page::take(unsigned line) {
  taken_ |= 1u << line;
  if (words_ == nullptr) return;
  const Slot last = std::exchange(words_[line], Slot::of_word(first_ | uint64_t{63} << Slot::granules_at));
  if (last.access() >= first_) lines_[line].slots[0] = last;
}

Shadow::Granules& Shadow::Page::granules_of(unsigned line, Shadow& shadow) {
  if (!cells_[line]) {
    cells_[line] = std::make_unique<Granules>();
    ++shadow.expanded_lines_;
  }
  return *cells_[line];
}

// What finds no slot is forgotten: the newest come first.
void Shadow::Page::expand(unsigned line, Shadow& shadow, const AccessRecords& records) {
  Granules& cells = granules_of(line, shadow);
  expanded_[line] = &cells;
  if ((reads_only_ >> line & 1) != 0) return expand_reads(line, records);
  cells = {};
  if ((updates_only_ >> line & 1) != 0) return expand_updates(line);
  std::array<unsigned, granules_per_line> used{};
  auto newest_first = lines_[line].slots;
  std::ranges::sort(newest_first, std::greater{}, &Slot::access);
  for (const Slot& whole : newest_first)
    if (const std::optional<Access> access = access_of(whole, records))
      each_part(whole, *access, [&](unsigned granule, const Slot& part) {
        if (used[granule] < slots_per_cell) cells[granule].slots[used[granule]++] = part;
      });
}

// A granule keeps the last few threads that read it: those before may be in order by now, behind a barrier of some
// warps.
void Shadow::Page::expand_reads(unsigned line, const AccessRecords& records) {
  reads_only_ &= ~(1u << line);
  Granules& cells = *cells_[line];
  const Granules reads = std::exchange(cells, {});
  for (uint32_t n = reads_[line].count; n-- > 0;) {
    const Slot& read = reads[n / slots_per_cell].slots[n % slots_per_cell];
    if (const std::optional<Access> access = access_of(read, records))
      each_part(read, *access, [&](unsigned granule, const Slot& part) {
        for (Slot& slot : cells[granule].slots) {
          if (slot.empty()) slot = part;
          if (slot.same_thread(part) && slot.bytes() == part.bytes()) break;
        }
      });
  }
}

void Shadow::Page::hold_reads(uint64_t address, const Cell& reads, AccessId past, Shadow& shadow) {
  const unsigned line = line_of(address);
  static_cast<void>(granules_of(line, shadow));
  reads_only_ |= 1u << line;
  reads_[line] = {};
  for (const Slot& slot : reads.slots)
    if (!slot.empty() && slot.access() >= past) static_cast<void>(note_read(address, slot, past));
}

// Of those that read the same, the last two threads will do: one of them is not the one that writes next. False if that
// gives no room worth the trouble.
bool Shadow::Page::forget_reads(unsigned line) {
  std::array<uint8_t, 2048> last{}; // by stretch: where the last of its reads is kept
  std::bitset<2048> has_two;
  uint32_t kept = most_reads; // from here on
  for (uint32_t i = most_reads; i-- > 0;) {
    const Slot read = read_at(line, i);
    const size_t stretch = read.word() >> Slot::first_at & (last.size() - 1);
    if (has_two[stretch] || (last[stretch] != 0 && read_at(line, last[stretch]).same_thread(read))) continue;
    has_two[stretch] = last[stretch] != 0;
    read_at(line, --kept) = read;
    last[stretch] = static_cast<uint8_t>(kept);
  }
  const uint32_t count = most_reads - kept;
  for (uint32_t i = 0; i < count; ++i) read_at(line, i) = read_at(line, kept + i);
  reads_[line].count = count;
  return count <= most_reads / 2;
}

void Shadow::Page::expand_updates(unsigned line) {
  updates_only_ &= ~(1u << line);
  for (unsigned granule = 0; granule < granules_per_line; ++granule) {
    const size_t at = line * granules_per_line + granule;
    const Slot highest = updates_->highest(at), lowest = updates_->lowest(at);
    if (highest.empty()) continue;
    (*cells_[line])[granule].slots = {highest, lowest == highest ? Slot() : lowest};
  }
}

bool Shadow::Page::is_past(uint64_t address, AccessId past) {
  const unsigned line = taken(line_of(address));
  const auto is_old = [&](const Slot& slot) { return slot.empty() || slot.access() < past; };
  const auto is_cell_old = [&](const Cell& cell) { return std::ranges::all_of(cell.slots, is_old); };
  if ((reads_only_ >> line & 1) != 0) return reads_[line].newest < past;
  if (expanded_[line] != nullptr) return std::ranges::all_of(*expanded_[line], is_cell_old);
  if ((updates_only_ >> line & 1) == 0) return is_cell_old(lines_[line]);
  const Slot* update = &updates_->highest(line * granules_per_line);
  return std::all_of(update, update + granules_per_line, is_old);
}

uint32_t Shadow::Page::hold_updates(uint32_t lines, AccessId past) {
  for (uint32_t rest = lines & ~updates_only_; rest != 0; rest &= rest - 1) {
    const auto line = static_cast<unsigned>(std::countr_zero(rest));
    if (!is_past(line * uint64_t{line_bytes}, past)) continue;
    if (!updates_) updates_ = std::make_unique<Updates>();
    updates_->clear(line * granules_per_line, granules_per_line);
    expanded_[line] = nullptr;
    reads_only_ &= ~(1u << line);
    updates_only_ |= 1u << line;
  }
  return lines & updates_only_;
}

void Shadow::Page::reset(uint64_t owner, Slot* words, AccessId first) {
  owner_ = owner;
  words_ = words;
  first_ = first;
  taken_ = words == nullptr ? ~uint32_t{0} : 0;
  updates_only_ = reads_only_ = 0;
  expanded_ = {};
  lines_ = {};
}

void Shadow::fill(Cached& cached, uint64_t number, uint64_t address) {
  const auto [entry, fresh] = pages_.try_emplace(number);
  Page& page = entry->second;
  if (fresh) {
    switch (memory_.lookup(address).kind) {
    case AllocationInfo::Kind::Shared:
      page.shared_ = true;
      shared_pages_.push_back(&page);
      [[fallthrough]];
    case AllocationInfo::Kind::Global:
    case AllocationInfo::Kind::Managed:
    case AllocationInfo::Kind::Mapped:
    case AllocationInfo::Kind::ModuleVariable: page.checked_ = true; break;
    case AllocationInfo::Kind::Local:
    case AllocationInfo::Kind::Const:
    case AllocationInfo::Kind::Param: break;
    case AllocationInfo::Kind::None:
    case AllocationInfo::Kind::Freed:
    case AllocationInfo::Kind::LeftShared:
    case AllocationInfo::Kind::HostMemory: // not to be remembered: something else may come to lie here
      pages_.erase(entry);
      cached.number = ~uint64_t{0};
      cached.page = nullptr;
      return;
    }
  }
  if (!page.shared_ && page.owner_ != launch_)
    page.reset(launch_, words_.has(number * page_bytes) ? &words_.of(number * page_bytes) : nullptr, first_);
  cached.number = number;
  cached.page = page.checked_ ? &page : nullptr;
}

void Shadow::begin_launch(AccessId first, bool anew) {
  constexpr size_t much = 256 << 20;
  ++launch_;
  first_ = first;
  if (anew) words_.clear();
  cache_.fill({});
  if (bytes() > much) {
    pages_.clear();
    shared_pages_.clear();
    expanded_lines_ = 0;
  }
  for (Page* page : shared_pages_) page->owner_ = ~uint64_t{0};
}

} // namespace tollgate::checks::race
