// The commonest step of all: a weak access of one thread to a granule of shared memory.
#pragma once

#include "checks/race/shadow.h"

#include <algorithm>
#include <bit>
#include <immintrin.h>

namespace tollgate::checks::race {

// Weak accesses to shared memory, all four slots in one go: what is left from before the last barrier of the block
// goes, and since then there were only loads, if this is one, or only this thread. False if it is not so simple.
[[nodiscard]] inline bool settle_own(Cell& cell, const Slot& fresh, AccessId past) {
  constexpr uint64_t all = ~uint64_t{0};
  alignas(32) static constexpr uint64_t keep[4][4] = {
      {0, 0, 0, 0}, {all, 0, 0, 0}, {all, all, 0, 0}, {all, all, all, 0}};
  alignas(32) static constexpr uint64_t take[4][4] = {{all, 0, 0, 0}, {0, all, 0, 0}, {0, 0, all, 0}, {0, 0, 0, all}};
  auto row = [](const uint64_t(&of)[4]) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(of)); };
  auto slots_where = [](__m256i signs) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(signs)));
  };
  auto* at = reinterpret_cast<__m256i*>(cell.slots.data());
  const __m256i slots = _mm256_load_si256(at), word = _mm256_set1_epi64x(static_cast<int64_t>(fresh.word()));
  const __m256i differ = _mm256_xor_si256(slots, word);
  const __m256i ids = _mm256_and_si256(slots, _mm256_set1_epi64x(0xffffffff));
  const unsigned live = 15 & ~slots_where(_mm256_cmpgt_epi64(_mm256_set1_epi64x(past), ids));
  if (live == 0) { // the commonest
    _mm256_store_si256(at, _mm256_and_si256(word, row(take[0])));
    return true;
  }
  const __m256i zero = _mm256_setzero_si256();
  auto same = [&](uint64_t bits) {
    return slots_where(
        _mm256_cmpeq_epi64(_mm256_and_si256(differ, _mm256_set1_epi64x(static_cast<int64_t>(bits))), zero));
  };
  constexpr uint64_t thread = uint64_t{1023} << Slot::lane_at, bytes = uint64_t{15} << Slot::bytes_at;
  const unsigned loads = slots_where(_mm256_slli_epi64(slots, 63 - Slot::load_at)), own = same(thread);
  const unsigned harmless = fresh.is_load() ? loads | own : own;
  if ((live & ~(harmless & same(bytes))) != 0) return false;
  if ((live & same(all)) != 0) return true; // it was here before, at the same time
  const unsigned kept = live & ~(fresh.is_load() ? own & loads : own);
  if ((kept & (kept + 1)) != 0) return false;
  if (kept == 15 && (loads & 8) == 0) return false;
  const unsigned count = std::min<unsigned>(static_cast<unsigned>(std::popcount(kept)), 3); // full: the last load goes
  const __m256i rest = _mm256_and_si256(slots, row(keep[count]));
  _mm256_store_si256(at, _mm256_or_si256(rest, _mm256_and_si256(word, row(take[count]))));
  return true;
}

} // namespace tollgate::checks::race
