// Where device memory lies. A device address is a number inside the window, which the host never maps except for
// managed and pinned memory; the bytes lie kBias higher. Generated code adds kBias to every generic address, so that
//   - null, small integers and bare 32-bit shared offsets land below the backing store, where nothing is mapped;
//   - a pointer into the host's program, heap, libraries or stack (0x5555'... and above) leaves the canonical half of
//     the address space;
//   - a device pointer used by the host is a number that is not mapped.
// Each of them faults by itself: no check is needed in generated code.
//
// Linux puts position-independent programs at 2/3 of the address space (0x5555'5555'4000 and up to 1 TiB more) and
// libraries and stacks at its top, hence the two bounds asserted below. AddressSanitizer's shadow ends at
// 0x1000'7fff'8000. ThreadSanitizer allows only a few ranges, so its builds get a smaller window.
#pragma once

#include "simd/warp_context.h"

#include <cstdint>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TOLLGATE_SMALL_WINDOW 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TOLLGATE_SMALL_WINDOW 1
#endif

namespace tollgate::exec {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB, TiB = 1024 * GiB;

struct Range {
  uint64_t begin = 0, bytes = 0;
  [[nodiscard]] constexpr uint64_t end() const { return begin + bytes; }
  [[nodiscard]] constexpr bool contains(uint64_t address) const { return address - begin < bytes; }
};

constexpr uint64_t kSlabSpacing = 4 * GiB;    // any 32-bit offset from a slab stays within its own 4 GiB
constexpr uint64_t kMaxSlabBytes = 228 * KiB; // shared memory of one multiprocessor, sm_90

// The slabs of a cluster share one 4 GiB, so that an address of .shared::cluster is the lower half of a generic one.
// Those below kSharedWindow are the block's own, as offsets in its slab; hence the slab of rank r starts at
// (2r + 1) * kSharedWindow. Odd multiples only: an address of another block taken for an offset hits nothing.
using simd::kSharedWindow;
constexpr unsigned kMaxCluster = 16; // blocks of a cluster, with cudaFuncAttributeNonPortableClusterSizeAllowed
constexpr uint64_t cluster_slot(uint64_t rank) { return (2 * rank + 1) * kSharedWindow; }

#ifdef TOLLGATE_SMALL_WINDOW
constexpr uint64_t kBias = 0x54e0'0000'0000;
constexpr unsigned kMaxSlabs = 32;
constexpr Range kSharedRange{0x20'0000'0000, kMaxSlabs* kSlabSpacing};
constexpr Range kGlobalRange{kSharedRange.end(), 64 * GiB};      // cudaMalloc, device heap
constexpr Range kHostVisibleRange{kGlobalRange.end(), 16 * GiB}; // managed, pinned, registered
constexpr Range kVariableRange{kHostVisibleRange.end(), 4 * GiB};
constexpr Range kConstRange{kVariableRange.end(), 4 * GiB};
constexpr Range kParamRange{kConstRange.end(), 8 * GiB};
constexpr Range kLocalRange{kParamRange.end(), 32 * GiB};
#else
constexpr uint64_t kBias = 0x2b00'0000'0000;
constexpr unsigned kMaxSlabs = 4096;
constexpr Range kSharedRange{0x1100'0000'0000, kMaxSlabs* kSlabSpacing};
constexpr Range kGlobalRange{kSharedRange.end(), 4 * TiB};
constexpr Range kHostVisibleRange{kGlobalRange.end(), 2 * TiB};
constexpr Range kVariableRange{kHostVisibleRange.end(), TiB / 4};
constexpr Range kConstRange{kVariableRange.end(), TiB / 4}; // apart, for isspacep
constexpr Range kParamRange{kConstRange.end(), TiB / 2};
constexpr Range kLocalRange{kParamRange.end(), 2 * TiB};
#endif

constexpr uint64_t kWindow = kSharedRange.begin;
constexpr uint64_t kWindowEnd = kLocalRange.end();

static_assert(kSharedRange.begin % kSlabSpacing == 0);
static_assert(kWindowEnd + kBias <= 0x5555'0000'0000, "backing store would meet position-independent programs");
static_assert(0x5555'0000'0000 + kBias >= 0x8000'0000'0000, "a biased host pointer must not be canonical");
static_assert(kBias >= kWindowEnd && kWindow + kBias >= kBias + 4 * GiB, "null plus the bias must stay unmapped");

constexpr bool in_window(uint64_t address) { return address - kWindow < kWindowEnd - kWindow; }

// The bytes behind a device address. No check: see DeviceMemory::host_view.
inline void* backing(uint64_t device) { return reinterpret_cast<void*>(device + kBias); }

} // namespace tollgate::exec
