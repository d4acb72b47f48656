#include "exec/mapping.h"

#include "exec/address.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tollgate::exec {

namespace {

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

bool map_at(void* where, uint64_t bytes, int flags, int file) {
  void* got = mmap(where, bytes, kReadWrite, flags | MAP_FIXED_NOREPLACE, file, 0);
  if (got == MAP_FAILED) return false;
  if (got == where) return true;
  munmap(got, bytes); // a kernel older than MAP_FIXED_NOREPLACE takes the address as a hint
  return false;
}

void* as_pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

int memory_file(uint64_t bytes) {
  int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

bool write_all(int file, uint64_t from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    // A system call reads the host's memory, so an unmapped page is an error here and not a fault. It is made
    // directly: sanitizers would complain about what else lies on these pages.
    ssize_t n = syscall(SYS_pwrite64, file, from + done, bytes - done, done);
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

// Moves a finished mapping over the host's pages in one step: other threads see the old pages or the new ones.
bool move_over(void* mapping, uint64_t bytes, uint64_t host) {
  return mremap(mapping, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, as_pointer(host)) != MAP_FAILED;
}

// Whether one line of /proc/self/maps covers the range and says that it is shared.
bool inside_shared_mapping(uint64_t host, uint64_t bytes) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) != 3) continue;
    if (begin <= host && host < end) return permissions[3] == 's' && host + bytes <= end;
  }
  return false;
}

bool all_mapped(uint64_t host, uint64_t bytes) {
  unsigned char resident[4096];
  for (uint64_t at = host; at < host + bytes; at += sizeof resident * kPage) {
    uint64_t part = std::min<uint64_t>(host + bytes - at, sizeof resident * kPage);
    if (mincore(as_pointer(at), part, resident) != 0) return false;
  }
  return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOLLGATE_UNCHECKED __attribute__((no_sanitize("address", "thread")))
#else
#define TOLLGATE_UNCHECKED
#endif

// memcmp, which a sanitizer would watch.
TOLLGATE_UNCHECKED bool same_words(uint64_t a, uint64_t b, uint64_t bytes) {
  auto* left = static_cast<const volatile uint64_t*>(as_pointer(a));
  auto* right = static_cast<const volatile uint64_t*>(as_pointer(b));
  for (uint64_t i = 0; i < bytes / sizeof *left; ++i)
    if (left[i] != right[i]) return false;
  return true;
}

// A program may have unmapped its memory before it unregisters it. Our pages read the same on both sides; what
// somebody else has mapped there since does not, and is left alone.
bool still_ours(uint64_t host, uint64_t device, uint64_t bytes) {
  return all_mapped(host, bytes) && same_words(host, device + kBias, bytes);
}

} // namespace

bool map_private(uint64_t device, uint64_t bytes) {
  if (!map_at(backing(device), bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)) return false;
  if (bytes >= 2 * kHugePage) madvise(backing(device), bytes, MADV_HUGEPAGE);
  return true;
}

bool map_shared(uint64_t device, uint64_t bytes) {
  int file = memory_file(bytes);
  if (file < 0) return false;
  bool mapped = map_at(as_pointer(device), bytes, MAP_SHARED | MAP_NORESERVE, file);
  if (mapped && !map_at(backing(device), bytes, MAP_SHARED | MAP_NORESERVE, file)) {
    munmap(as_pointer(device), bytes);
    mapped = false;
  }
  close(file); // the mappings keep the memory
  return mapped;
}

void unmap_private(uint64_t device, uint64_t bytes) { munmap(backing(device), bytes); }

void unmap_shared(uint64_t device, uint64_t bytes) {
  munmap(as_pointer(device), bytes);
  munmap(backing(device), bytes);
}

void set_accessible(uint64_t device, uint64_t bytes, bool accessible) {
  mprotect(backing(device), bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void discard(uint64_t device, uint64_t bytes, bool shared) {
  uint64_t begin = round_up(device, kPage), end = (device + bytes) / kPage * kPage;
  if (begin < end) madvise(backing(begin), end - begin, shared ? MADV_REMOVE : MADV_DONTNEED);
}

// An old size of zero asks for a second mapping of shared pages; mremap(2).
bool duplicate_shared_pages(uint64_t host, uint64_t device, uint64_t bytes) {
  return mremap(as_pointer(host), 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, backing(device)) != MAP_FAILED;
}

Sharing share_host_pages(uint64_t host, uint64_t device, uint64_t bytes) {
  if (inside_shared_mapping(host, bytes))
    return duplicate_shared_pages(host, device, bytes) ? Sharing::AlreadyShared : Sharing::Failed;
  int file = memory_file(bytes);
  if (file < 0) return Sharing::Failed;
  Sharing result = Sharing::Failed;
  void* copy = mmap(nullptr, bytes, kReadWrite, MAP_SHARED, file, 0);
  if (copy != MAP_FAILED) {
    if (map_at(backing(device), bytes, MAP_SHARED, file)) {
      if (write_all(file, host, bytes) && move_over(copy, bytes, host))
        result = Sharing::Replaced;
      else
        munmap(backing(device), bytes);
    }
    if (result == Sharing::Failed) munmap(copy, bytes);
  }
  close(file);
  return result;
}

void make_host_pages_private(uint64_t host, uint64_t device, uint64_t bytes) {
  if (!still_ours(host, device, bytes)) return;
  void* copy = mmap(nullptr, bytes, kReadWrite, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return; // the pages work as well when shared
  std::memcpy(copy, backing(device), bytes);
  if (!move_over(copy, bytes, host)) munmap(copy, bytes);
}

bool host_mapped(uint64_t host) {
  unsigned char resident = 0;
  return mincore(as_pointer(host / kPage * kPage), 1, &resident) == 0;
}

} // namespace tollgate::exec
