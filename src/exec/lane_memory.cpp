// Loads and stores lane by lane, for addresses that are not in line.
#include "base/each_lane.h"
#include "exec/runtime_symbols.h"

#include <algorithm>
#include <cstring>

namespace tollgate::exec {

namespace {

using Wide = unsigned __int128;

// An access as wide as the element, so that a volatile or relaxed access of up to 8 bytes is one host access.
template <typename T> T read(uint64_t address) {
  if constexpr (sizeof(T) <= 8) {
    typedef T Unaligned __attribute__((aligned(1), may_alias));
    return *reinterpret_cast<const volatile Unaligned*>(address);
  } else {
    T v;
    memcpy(&v, reinterpret_cast<const void*>(address), sizeof v);
    return v;
  }
}

template <typename T> void write(uint64_t address, T value) {
  if constexpr (sizeof(T) <= 8) {
    typedef T Unaligned __attribute__((aligned(1), may_alias));
    *reinterpret_cast<volatile Unaligned*>(address) = value;
  } else {
    memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
  }
}

// Blocks 8 or 16 threads wide: four runs of eight lanes, each at one address or side by side. `step` is the distance
// from lane to lane within a run; false where it is neither 0 nor the element's size, or not the same throughout.
template <typename T> bool in_runs(const uint64_t* addresses, uint64_t& step) {
  typedef uint64_t Four __attribute__((vector_size(32)));
  step = addresses[1] - addresses[0];
  if (step != 0 && step != sizeof(T)) return false;
  const Four low = Four{0, 1, 2, 3} * step, high = low + 4 * step;
  Four differs{};
  for (unsigned run = 0; run < 32; run += 8) {
    Four a, b;
    memcpy(&a, addresses + run, sizeof a);
    memcpy(&b, addresses + run + 4, sizeof b);
    differs |= (a ^ (addresses[run] + low)) | (b ^ (addresses[run] + high));
  }
  return (differs[0] | differs[1] | differs[2] | differs[3]) == 0;
}

template <typename T> bool load_runs(const uint64_t* addresses, T* out) {
  uint64_t step = 0;
  if (!in_runs<T>(addresses, step)) return false;
  for (unsigned run = 0; run < 32; run += 8) {
    if (step != 0)
      memcpy(out + run, reinterpret_cast<const void*>(addresses[run]), 8 * sizeof(T));
    else
      std::fill_n(out + run, 8, read<T>(addresses[run]));
  }
  return true;
}

template <typename T> bool store_runs(const uint64_t* addresses, const T* values) {
  uint64_t step = 0;
  if (!in_runs<T>(addresses, step) || step == 0) return false; // of lanes at one address the last one's value stays
  for (unsigned run = 0; run < 32; run += 8)
    memcpy(reinterpret_cast<void*>(addresses[run]), values + run, 8 * sizeof(T));
  return true;
}

template <typename T, unsigned Count> constexpr bool has_runs = Count == 1 && (sizeof(T) == 4 || sizeof(T) == 8);

template <typename T, unsigned Count> void load(uint32_t lanes, const uint64_t* addresses, T* out) {
  if constexpr (has_runs<T, Count>)
    if (lanes == ~0u && load_runs(addresses, out)) return;
  each_lane_of_most(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < Count; ++i) out[i * 32 + lane] = read<T>(addresses[lane] + i * sizeof(T));
  });
}

template <typename T, unsigned Count> void store(uint32_t lanes, const uint64_t* addresses, const T* values) {
  if constexpr (has_runs<T, Count>)
    if (lanes == ~0u && store_runs(addresses, values)) return;
  each_lane_of_most(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < Count; ++i) write<T>(addresses[lane] + i * sizeof(T), values[i * 32 + lane]);
  });
}

// The forms for large functions, whose code would grow too much if each access looked at its addresses itself: one
// copy where the lanes stand in line. Shared memory comes as 32-bit offsets.
template <typename T, unsigned Count, typename Address> bool in_line(uint32_t lanes, const Address* addresses) {
  if (lanes != ~0u || Count != 1) return false;
  Address differs = 0;
  for (unsigned lane = 0; lane < 32; ++lane) differs |= addresses[lane] ^ (addresses[0] + lane * Address(sizeof(T)));
  return differs == 0;
}

template <typename T, unsigned Count> void load_any(uint32_t lanes, const uint64_t* addresses, T* out) {
  if (in_line<T, Count>(lanes, addresses))
    memcpy(out, reinterpret_cast<const void*>(addresses[0]), 32 * sizeof(T));
  else
    load<T, Count>(lanes, addresses, out);
}

template <typename T, unsigned Count> void store_any(uint32_t lanes, const uint64_t* addresses, const T* values) {
  if (in_line<T, Count>(lanes, addresses))
    memcpy(reinterpret_cast<void*>(addresses[0]), values, 32 * sizeof(T));
  else
    store<T, Count>(lanes, addresses, values);
}

template <typename T, unsigned Count>
void load_shared(uint32_t lanes, const uint8_t* base, const uint32_t* offsets, T* out) {
  if (in_line<T, Count>(lanes, offsets)) {
    memcpy(out, base + offsets[0], 32 * sizeof(T));
    return;
  }
  alignas(64) uint64_t addresses[32];
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = reinterpret_cast<uint64_t>(base) + offsets[lane];
  load<T, Count>(lanes, addresses, out);
}

template <typename T, unsigned Count>
void store_shared(uint32_t lanes, uint8_t* base, const uint32_t* offsets, const T* values) {
  if (in_line<T, Count>(lanes, offsets)) {
    memcpy(base + offsets[0], values, 32 * sizeof(T));
    return;
  }
  alignas(64) uint64_t addresses[32];
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = reinterpret_cast<uint64_t>(base) + offsets[lane];
  store<T, Count>(lanes, addresses, values);
}

// Bits that say what was written, of all lanes that run. 1: all of them are ones. Otherwise what lanes that run have is
// in `out`, with ones for the others.
template <typename T, unsigned Count, typename Address>
uint32_t written_of(uint32_t lanes, const uint8_t* base, const Address* offsets, T* out) {
  auto at = [&](unsigned lane) { return reinterpret_cast<uint64_t>(base) + offsets[lane]; };
  constexpr T ones = static_cast<T>(~T{0});
  T all = ones;
  if (lanes == ~0u && in_line<T, Count>(lanes, offsets)) {
    T values[32];
    memcpy(values, reinterpret_cast<const void*>(at(0)), sizeof values);
    for (const T v : values) all &= v;
  } else {
    each_lane_of_most(lanes, [&](unsigned lane) {
      for (unsigned i = 0; i < Count; ++i) all &= read<T>(at(lane) + i * sizeof(T));
    });
  }
  if (all == ones) return 1;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < Count; ++i)
      out[i * 32 + lane] = (lanes >> lane & 1) != 0 ? read<T>(at(lane) + i * sizeof(T)) : ones;
  return 0;
}

template <typename T, unsigned Count> uint32_t written_any(uint32_t lanes, const uint64_t* addresses, T* out) {
  return written_of<T, Count>(lanes, nullptr, addresses, out);
}

template <typename T, unsigned Count>
uint32_t written_shared(uint32_t lanes, const uint8_t* base, const uint32_t* offsets, T* out) {
  return written_of<T, Count>(lanes, base, offsets, out);
}

template <typename T, unsigned Count> void add(Symbols& out) {
  std::string suffix = std::to_string(sizeof(T)) + "x" + std::to_string(Count);
  add_symbol(out, "tgh_load_any_" + suffix, &load_any<T, Count>);
  add_symbol(out, "tgh_store_any_" + suffix, &store_any<T, Count>);
  add_symbol(out, "tgh_load_shared_" + suffix, &load_shared<T, Count>);
  add_symbol(out, "tgh_store_shared_" + suffix, &store_shared<T, Count>);
  add_symbol(out, "tgh_written_any_" + suffix, &written_any<T, Count>);
  add_symbol(out, "tgh_written_shared_" + suffix, &written_shared<T, Count>);
  add_symbol(out, "tgh_load_" + suffix, &load<T, Count>);
  add_symbol(out, "tgh_store_" + suffix, &store<T, Count>);
}

template <typename T> void add_counts(Symbols& out) {
  add<T, 1>(out);
  add<T, 2>(out);
  add<T, 4>(out);
  add<T, 8>(out);
}

} // namespace

void add_memory_symbols(Symbols& out) {
  add_counts<uint8_t>(out);
  add_counts<uint16_t>(out);
  add_counts<uint32_t>(out);
  add_counts<uint64_t>(out);
  add_counts<Wide>(out);
}

} // namespace tollgate::exec
