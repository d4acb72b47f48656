// Counters of 16, 8 or 4 bits in shared memory, so that one table holds up to 450,000 keys; exact whatever the data is.
//
// One addition to a word adds to one of its counters. The value that it returns tells what the word looked like before,
// so it also tells when the counter ran over and what the carry did to the counters above it. All of that is put right
// outside the word, by adding to the result (or to a cache of hot keys) what the table now shows too little or too
// much: such corrections may come in any order, and a count is at all times what its counter shows plus what was
// corrected.
#pragma once
#include "tables.h"

namespace tollgate::detail {

// The byte offset of the word of a place, which is four times a key; a hash permutes the banks of each row.
__device__ inline uint32_t packed_word(const TableShape& shape, uint32_t at) {
  const uint32_t byte = at >> shape.fields;
  const uint32_t hash = ((byte >> 7) * 0x9E3779B1u) >> 25;
  return (byte ^ hash) & ~3u;
}

template <int Active> struct PackedSink {
  static constexpr int most_in_flight = 4;
  // An addition under way. `at` is four times the place in the table: that saves an instruction for the address.
  struct Update {
    uint32_t at;
    uint32_t one; // the addend 1, at its counter's place in the word
    uint32_t old; // the word before; 0 where the key is none of this pass
  };

  const TableShape& shape;
  uint32_t start;
  uint32_t mask;   // of one counter
  uint32_t places; // at << places: the counter's first bit, modulo 32
  uint32_t end;    // of `at`
  uint32_t first[Active];

  template <class Job>
  __device__ PackedSink(const Job& job, const TableShape& s)
      : shape(s), start(shared_start()), mask((2u << ((32 >> s.fields) - 1)) - 1), places(3 - s.fields),
        end(s.window_keys * 4) {
#pragma unroll
    for (int c = 0; c < Active; ++c) first[c] = (job.first_key[c] - s.window) * 4;
  }

  template <int Channel> __device__ uint32_t place(uint32_t key) const { return key * 4 + first[Channel]; }

  __device__ void begin(Update& update, uint32_t at, uint32_t amount) const {
    const uint32_t one = __funnelshift_l(0u, amount, at << places);
    const uint32_t address = start + packed_word(shape, at);
    update = {at, one, 0};
    if (at < end) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(update.old) : "r"(address), "r"(one));
  }
  // Zero where adding 1 made the counter run over.
  __device__ uint32_t room(const Update& update) const { return ~update.old & (update.one * mask); }

  // What the table shows of the counters of a word differs from what they should show where one of them ran over.
  template <class Job> __device__ void settle(const Job& job, const Update& update, uint32_t amount) const {
    const uint32_t bits = 32u >> shape.fields;
    uint32_t from = (update.at << places) & 31;
    if (((update.old >> from) & mask) + amount <= mask) return;
    uint32_t key = update.at / 4, correction = mask + 1;
#pragma unroll 1
    while (true) {
      credit(job, key, correction);
      from += bits;
      if (from >= 32 || correction == ~0u) break;
      ++key; // the carry made one more of this counter, or nothing of a full one and went on
      correction = ((update.old >> from) & mask) == mask ? mask : ~0u;
    }
  }
  // Adds to a key's count outside of the table; ~0 subtracts one.
  template <class Job> __device__ void credit(const Job& job, uint32_t key, uint32_t amount) const {
    if (key >= shape.window_keys) return; // a counter that fills the last word
    const uint32_t word = cached_word(shape, key + shape.window);
    if (word != 0) {
      atomicAdd(&shared_words()[word], amount);
    } else {
      add_key(job, key + shape.window, static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(amount))));
    }
  }

  template <int Channel, class Job> __device__ void count(const Job& job, uint32_t key) const {
    Update update;
    begin(update, place<Channel>(key), 1);
    if (room(update) == 0) settle(job, update, 1);
  }
  // A vector of samples: the additions are under way together.
  template <int n, class Job> __device__ void count_places(const Job& job, const uint32_t (&at)[n]) const {
    uint32_t differ = 0;
#pragma unroll
    for (int i = 1; i < n; ++i) differ |= at[0] ^ at[i];
    Update updates[n];
    uint32_t amount = 1, least = ~0u;
    if (__all_sync(__activemask(), differ == 0)) { // runs of equal samples: lanes would queue for their word
      amount = n;
      begin(updates[0], at[0], n);
#pragma unroll
      for (int i = 1; i < n; ++i) updates[i] = {0, 0, 0};
      least = updates[0].old == 0 ? 1 : 0;
    } else {
#pragma unroll
      for (int i = 0; i < n; ++i) begin(updates[i], at[i], 1);
#pragma unroll
      for (int i = 0; i < n; ++i) least = min(least, room(updates[i]));
    }
    if (least != 0) return;
#pragma unroll 1
    for (int i = 0; i < n; ++i) { // rare: one piece of code for all of them
      Update update = updates[0];
#pragma unroll
      for (int k = 1; k < n; ++k) update = i == k ? updates[k] : update;
      settle(job, update, amount);
    }
  }
  template <class Job> __device__ void finish(const Job&) const {}
};

template <Table table, int Active> struct SinkOf {
  using type = SwizzledSink<Active, table == Table::passing>;
};
template <int Active> struct SinkOf<Table::packed, Active> {
  using type = PackedSink<Active>;
};
template <int Active> struct SinkOf<Table::owned, Active> {
  using type = OwnedSink<Active>;
};
template <int Active> struct SinkOf<Table::spilling, Active> {
  using type = SpillingSink<Active>;
};

} // namespace tollgate::detail
