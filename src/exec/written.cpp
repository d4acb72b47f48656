#include "exec/written.h"

#include "exec/mapping.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace tollgate::exec {

namespace {

bool mapped = false; // set once, before the first kernel

uint8_t* bits_of(uint64_t device) { return reinterpret_cast<uint8_t*>(device + kWrittenBias); }

} // namespace

bool map_written() {
  if (mapped || kWrittenBias == 0) return mapped;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const uint64_t bytes = kWindowEnd - kWindow;
  void* at = mmap(bits_of(kWindow), bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (at == MAP_FAILED) return false;
  if (at != bits_of(kWindow)) { // a kernel that does not know the flag
    munmap(at, bytes);
    return false;
  }
  madvise(at, bytes, MADV_DONTDUMP);
  madvise(bits_of(kSharedRange.begin), kSharedRange.bytes, MADV_NOHUGEPAGE); // slabs lie far apart
  return mapped = true;
}

bool has_written() { return mapped; }

void note_written(uint64_t device, uint64_t bytes) {
  if (mapped && bytes != 0) std::memset(bits_of(device), 0xff, bytes);
}

void clear_written(uint64_t device, uint64_t bytes) {
  if (mapped && bytes != 0) std::memset(bits_of(device), 0, bytes);
}

// Whole pages are given back, so that a large allocation costs nothing before it is used.
void forget_written(uint64_t device, uint64_t bytes) {
  constexpr uint64_t few = 16 * kPage;
  if (!mapped || bytes == 0) return;
  const uint64_t end = device + bytes;
  const uint64_t first = bytes < few ? end : std::min(end, round_up(device, kPage));
  const uint64_t last = std::max(first, end / kPage * kPage);
  discard_written(first, last - first);
  std::memset(bits_of(device), 0, first - device);
  if (last > first) std::memset(bits_of(last), 0, end - last);
}

void discard_written(uint64_t device, uint64_t bytes) {
  const uint64_t first = round_up(device, kPage), last = (device + bytes) / kPage * kPage;
  if (mapped && last > first) madvise(bits_of(first), last - first, MADV_DONTNEED);
}

void copy_written(uint64_t to, uint64_t from, uint64_t bytes) {
  if (mapped && bytes != 0) std::memmove(bits_of(to), bits_of(from), bytes);
}

} // namespace tollgate::exec
