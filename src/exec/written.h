// Which bits of device memory were written: a bit for each bit, kWrittenBias above the device address. One reservation
// for the whole window, made when checks ask for it; pages that nobody touched read as never written and cost nothing.
// Generated code reads and writes it as it reads and writes the bytes themselves (simd/undefined.h).
#pragma once

#include "exec/address.h"

#include <cstdint>

namespace tollgate::exec {

bool map_written();               // false if the host refuses so many addresses, or the window is a small one
[[nodiscard]] bool has_written(); // whether it was mapped

// All of these do nothing unless it was mapped. Addresses are device addresses.
void note_written(uint64_t device, uint64_t bytes);
void forget_written(uint64_t device, uint64_t bytes);  // of an object: gives pages back
void discard_written(uint64_t device, uint64_t bytes); // of memory that is no more: gives whole pages back
void clear_written(uint64_t device, uint64_t bytes);   // the same for memory that is soon used again
void copy_written(uint64_t to, uint64_t from, uint64_t bytes);

} // namespace tollgate::exec
