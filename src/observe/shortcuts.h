// What generated code does by itself where one observer alone is told of memory accesses: it notes plain accesses in
// the observer's own tables. Plain data; the code reaches the fields by offsetof. All of it is one resident block's,
// and belongs to the observer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tollgate::observe {

// The last access record of an instruction, in one of `Shortcuts::site_count` places by its site.
struct SiteRecord {
  uint32_t time = 0;  // of the block, when it was made; 0: never the present
  uint32_t id = 0;    // of the record
  uint32_t site = 0;  // the instruction
  uint32_t warps = 0; // that have come by, a bit each
};

struct Shortcuts {
  static constexpr size_t site_count = 256;

  // Sound weak reads of the block's own shared memory by all lanes of a warp, in rows: noted while at < end, where
  // there is room for one more. Words: the description of the access with the site above it; the warp, from bit 8 on
  // the number of rows, from bit 32 on the stride; where each row begins.
  uint64_t* reads_at = nullptr;
  const uint64_t* reads_end = nullptr;

  // Sound weak accesses to a whole line of 128 bytes, by 32 lanes of 4 bytes, outside shared memory. The line's word
  // (at `lines` + address / 16) says who touched it last; a warp may take a word from before the launch, or its own of
  // this block, if the instruction has a record of the present. A load does not take the word of a store.
  const uint32_t* load_time = nullptr; // the present, or never
  const uint32_t* store_time = nullptr;
  SiteRecord* sites = nullptr;
  uint64_t lines = 0;
  uint32_t first_record = 0; // of the launch
  uint32_t own_records = 0;  // from here on all are this block's

  static constexpr unsigned rows_at = 8, stride_at = 32;
  static constexpr size_t most_rows = 4, read_words = 2 + most_rows; // at most
};

// Words of lines: the record, then bits from these on.
struct LineWord {
  static constexpr unsigned lane_at = 32, warp_at = 37, load_at = 42, bytes_at = 43, first_at = 47, granules_at = 52;
  static constexpr uint64_t place = uint64_t{1023} << lane_at | uint64_t{2047} << first_at; // the lanes, the bytes
};

// For who has no table: nothing is ever noted.
inline Shortcuts* no_shortcuts() {
  static constexpr uint32_t never = 1;
  static std::array<SiteRecord, Shortcuts::site_count> sites{}; // never written: no time in it is the present
  static Shortcuts none{nullptr, nullptr, &never, &never, sites.data(), 0, 0, 0};
  return &none;
}

} // namespace tollgate::observe
