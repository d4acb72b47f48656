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
  static constexpr int most_in_flight = 2;
  static constexpr bool reads_once = true;
  // An addition under way. `at` is four times the place in the table: that saves an instruction for the address.
  struct Update {
    uint32_t at;
    uint32_t one; // the addend 1, at its counter's place in the word
    uint32_t old; // the word before; 0 where the key is none of this pass
  };
  static constexpr uint32_t warm = 32, hot = 64; // heat

  const TableShape& shape;
  uint32_t start;
  uint32_t mask;   // of one counter
  uint32_t places; // at << places: the counter's first bit, modulo 32
  uint32_t end;    // of `at` in the table
  uint32_t heat = 0;
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
    asm volatile("{\n\t.reg .pred inside;\n\tsetp.lt.u32 inside, %2, %3;\n\t"
                 "@inside atom.shared.add.u32 %0, [%1], %4;\n\t}"
                 : "+r"(update.old)
                 : "r"(address), "r"(at), "r"(end), "r"(one));
  }
  // Zero where adding 1 made the counter run over.
  __device__ uint32_t room(const Update& update) const { return ~update.old & (update.one * mask); }

  // What the table shows of the counters of a word differs from what it should show where one of them ran over.
  template <class Job> __device__ void settle(const Job& job, const Update& update) {
    const uint32_t bits = 32u >> shape.fields;
    uint32_t from = (update.at << places) & 31;
    uint32_t key = update.at / 4, correction = mask + 1;
#pragma unroll 1
    while (true) {
      credit(job, key, correction);
      from += bits;
      ++key; // the carry made one more of this counter, or nothing of a full one and went on
      if (from >= 32 || correction == ~0u || key >= shape.window_keys) break;
      correction = ((update.old >> from) & mask) == mask ? mask : ~0u;
    }
  }
  // Adds to a key's count outside of the table; ~0 subtracts one.
  template <class Job> __device__ void credit(const Job& job, uint32_t key, uint32_t amount) {
    key += shape.window;
    uint32_t word = own_slot(key);
    if (word != 0) {
      heat = min(heat + 8, hot);
    } else {
      word = cached_word(shape, key);
    }
    if (word != 0) {
      atomicAdd(&shared_words()[word], amount);
    } else {
      add_key(job, key, static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(amount))));
    }
  }
  // The word that counts for a key that has a slot of the cache, or 0.
  __device__ uint32_t own_slot(uint32_t key) const {
    const uint32_t slot = shape.words + ((key * 0x9E3779B1u) >> shape.cache_shift);
    const uint32_t tag = static_cast<volatile uint32_t*>(shared_words())[slot];
    return tag == key ? slot + (1u << (32 - shape.cache_shift)) : 0;
  }

  template <int Channel, class Job> __device__ void count(const Job& job, uint32_t key) {
    Update update;
    begin(update, place<Channel>(key), 1);
    if (room(update) == 0) settle(job, update);
  }
  // Keys that have run over stand in the cache. While a warp meets such keys again and again it looks there first.
  template <int n> __device__ void count_hot(uint32_t (&at)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const uint32_t word = own_slot(at[i] / 4 + shape.window);
      if (at[i] < end && word != 0) {
        count_shared(start + word * 4);
        at[i] = end; // which is counted no more
        heat = hot;
      }
    }
  }
  // A vector of samples: the additions are under way together.
  template <int n, class Job> __device__ void count_places(const Job& job, uint32_t (&at)[n]) {
    const unsigned lanes = __activemask();
    if (__any_sync(lanes, heat > warm)) count_hot(at);
    heat = heat == 0 ? 0 : heat - 1;
    uint32_t differ = 0;
#pragma unroll
    for (int i = 1; i < n; ++i) differ |= at[0] ^ at[i];
    Update updates[n];
    uint32_t over = 0;                    // a bit for each update that needs settling
    if (__all_sync(lanes, differ == 0)) { // runs of equal samples: lanes would queue for their word
      begin(updates[0], at[0], n);
#pragma unroll
      for (int i = 1; i < n; ++i) updates[i] = updates[0];
      const uint32_t shown = (updates[0].old >> ((at[0] << places) & 31)) & mask;
      over = shown + n > mask ? 1 : 0;
    } else {
      uint32_t least = ~0u;
#pragma unroll
      for (int i = 0; i < n; ++i) begin(updates[i], at[i], 1);
#pragma unroll
      for (int i = 0; i < n; ++i) least = min(least, room(updates[i]));
      if (least == 0) {
#pragma unroll
        for (int i = 0; i < n; ++i) over |= room(updates[i]) == 0 ? 1u << i : 0;
      }
    }
#pragma unroll 1
    while (over != 0) { // rare: one piece of code for all of them
      const int index = __ffs(static_cast<int>(over)) - 1;
      over &= over - 1;
      Update update = updates[0];
#pragma unroll
      for (int k = 1; k < n; ++k) update = index == k ? updates[k] : update;
      settle(job, update);
    }
  }
  template <class Job> __device__ void finish(const Job&) const {}
};

template <Table table, int Active> struct SinkOf {
  using type = SwizzledSink<Active, table == Table::parted>;
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
