#include "engine/host_heap.h"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tollgate::engine {

void prepare_host_heap() {
  static bool done = false;
  if (done) return;
  done = true;
  constexpr int MiB = 1 << 20, grown = 32 * MiB;
  constexpr uint64_t large_page = 2 * MiB;
  // glibc stops adapting these two once one of the three is set: they take the values that it would end at.
  mallopt(M_MMAP_THRESHOLD, 32 * MiB);
  mallopt(M_TRIM_THRESHOLD, 64 * MiB);
  mallopt(M_TOP_PAD, grown);
  const auto before = reinterpret_cast<uint64_t>(sbrk(0));
  void* volatile most = malloc(MiB); // more than the heap has left at its top, so that it grows
  free(most);
  mallopt(M_TOP_PAD, MiB);
  const auto after = reinterpret_cast<uint64_t>(sbrk(0));
  const uint64_t begin = (before + large_page - 1) / large_page * large_page, end = after / large_page * large_page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

} // namespace tollgate::engine
