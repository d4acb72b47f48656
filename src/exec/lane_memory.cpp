// Loads and stores lane by lane, for addresses that are not in line.
#include "exec/runtime_symbols.h"

#include <bit>
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

template <typename T, unsigned Count> void load(uint32_t lanes, const uint64_t* addresses, T* out) {
  auto one = [&](unsigned lane) {
    for (unsigned i = 0; i < Count; ++i) out[i * 32 + lane] = read<T>(addresses[lane] + i * sizeof(T));
  };
  if (lanes == ~0u) {
    for (unsigned lane = 0; lane < 32; ++lane) one(lane);
    return;
  }
  for (uint32_t left = lanes; left != 0; left &= left - 1) one(unsigned(std::countr_zero(left)));
}

template <typename T, unsigned Count> void store(uint32_t lanes, const uint64_t* addresses, const T* values) {
  auto one = [&](unsigned lane) {
    for (unsigned i = 0; i < Count; ++i) write<T>(addresses[lane] + i * sizeof(T), values[i * 32 + lane]);
  };
  if (lanes == ~0u) {
    for (unsigned lane = 0; lane < 32; ++lane) one(lane);
    return;
  }
  for (uint32_t left = lanes; left != 0; left &= left - 1) one(unsigned(std::countr_zero(left)));
}

template <typename T, unsigned Count> void add(Symbols& out) {
  std::string suffix = std::to_string(sizeof(T)) + "x" + std::to_string(Count);
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
