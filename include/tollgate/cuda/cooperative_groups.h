/// \defgroup cooperative_groups cooperative_groups.h
/// <cooperative_groups.h> for the route without a CUDA toolkit, after the CUDA C++ Programming Guide: blocks, grids,
/// tiles of up to a warp, and groups of coalesced threads.
#pragma once

#include "cuda_runtime.h"

#define TOLLGATE_GROUP_MEMBER __inline__ __attribute__((always_inline, device))

/// Groups of threads, as in the CUDA C++ Programming Guide.
namespace cooperative_groups {

namespace details {

TOLLGATE_DEVICE unsigned int lane() {
  unsigned int out;
  asm("mov.u32 %0, %%laneid;" : "=r"(out));
  return out;
}
TOLLGATE_DEVICE unsigned int lanes_below() { return (1u << lane()) - 1; }

TOLLGATE_DEVICE unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
TOLLGATE_DEVICE unsigned int rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
TOLLGATE_DEVICE unsigned long long grid_blocks() {
  return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
}
TOLLGATE_DEVICE unsigned long long rank_of_block() {
  return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                          (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
}

// The lane that holds the bit number `rank` (from 0) of a mask.
TOLLGATE_DEVICE unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  for (; rank != 0; --rank) mask &= mask - 1;
  return static_cast<unsigned int>(__ffs(static_cast<int>(mask)) - 1);
}

// One bit for each member, in the order of their ranks.
TOLLGATE_DEVICE unsigned int packed(unsigned int bits, unsigned int mask) {
  unsigned int out = 0;
  for (unsigned int rank = 0; mask != 0; mask &= mask - 1, ++rank)
    if ((bits & mask & (0u - mask)) != 0) out |= 1u << rank;
  return out;
}

// Any plain value, word by word.
template <typename T> TOLLGATE_DEVICE T shuffle(unsigned int mask, const T& value, unsigned int from) {
  static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32, "a shuffled value is plain and has at most 32 bytes");
  constexpr unsigned int words = (sizeof(T) + 3) / 4;
  unsigned int word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (unsigned int i = 0; i < words; ++i) word[i] = __shfl_sync(mask, word[i], static_cast<int>(from));
  T out;
  __builtin_memcpy(&out, word, sizeof(T));
  return out;
}

// The launch gives all blocks of a cooperative grid a zeroed place to meet; null for other launches.
TOLLGATE_DEVICE unsigned int* grid_workspace() {
  unsigned int high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned int*>(static_cast<unsigned long long>(high) << 32 | low);
}

// Each block adds one, block 0 what is missing to 2^31: when all have, the top bit flips.
TOLLGATE_DEVICE void meet_grid(unsigned int* arrived) {
  __syncthreads();
  if (rank_in_block() == 0) {
    const unsigned int others = static_cast<unsigned int>(grid_blocks()) - 1;
    const unsigned int mine = rank_of_block() == 0 ? 0x80000000u - others : 1u;
    unsigned int before, now;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(arrived), "r"(mine) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
    } while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}

} // namespace details

/// \addtogroup cooperative_groups
/// \{

/// What tiles wider than a warp would exchange values in.
template <unsigned int Threads = 1024> struct block_tile_memory {
  static_assert(Threads == 0, "tiles wider than a warp need the CUDA toolkit (nvcc)");
};

/// The threads of a block.
class thread_block {
public:
  /// \name Members
  /// \{

  /// \details As in the CUDA C++ Programming Guide.
  TOLLGATE_GROUP_MEMBER static void sync() { __syncthreads(); }
  TOLLGATE_GROUP_MEMBER static unsigned int thread_rank() { return details::rank_in_block(); }
  TOLLGATE_GROUP_MEMBER static unsigned int size() { return details::block_threads(); }
  TOLLGATE_GROUP_MEMBER static unsigned int num_threads() { return size(); }
  TOLLGATE_GROUP_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  TOLLGATE_GROUP_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  TOLLGATE_GROUP_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  TOLLGATE_GROUP_MEMBER static dim3 dim_threads() { return group_dim(); }
  /// \}
};

/// The threads of a grid.
class grid_group {
public:
  /// \name Members
  /// \{

  /// \details As in the CUDA C++ Programming Guide.
  TOLLGATE_GROUP_MEMBER bool is_valid() const { return details::grid_workspace() != nullptr; }
  /// Only in a grid launched by cudaLaunchCooperativeKernel; elsewhere the kernel ends here, as on a device.
  TOLLGATE_GROUP_MEMBER void sync() const {
    if (!is_valid()) __trap();
    details::meet_grid(details::grid_workspace());
  }
  TOLLGATE_GROUP_MEMBER static unsigned long long size() { return details::grid_blocks() * details::block_threads(); }
  TOLLGATE_GROUP_MEMBER static unsigned long long num_threads() { return size(); }
  TOLLGATE_GROUP_MEMBER static unsigned long long num_blocks() { return details::grid_blocks(); }
  TOLLGATE_GROUP_MEMBER static unsigned long long block_rank() { return details::rank_of_block(); }
  TOLLGATE_GROUP_MEMBER static unsigned long long thread_rank() {
    return details::rank_of_block() * details::block_threads() + details::rank_in_block();
  }
  TOLLGATE_GROUP_MEMBER static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  TOLLGATE_GROUP_MEMBER static dim3 dim_blocks() { return group_dim(); }
  TOLLGATE_GROUP_MEMBER static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  /// \}
};

/// Some lanes of one warp, in the order of their numbers.
class coalesced_group {
public:
  /// The lanes of a mask. A group that is one of several by the same division has its number and theirs.
  TOLLGATE_GROUP_MEMBER explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                                 unsigned int meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  /// \name Members
  /// \{

  /// \details As in the CUDA C++ Programming Guide.
  TOLLGATE_GROUP_MEMBER void sync() const { __syncwarp(mask_); }
  TOLLGATE_GROUP_MEMBER unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
  TOLLGATE_GROUP_MEMBER unsigned int num_threads() const { return size(); }
  TOLLGATE_GROUP_MEMBER unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(mask_ & details::lanes_below()));
  }
  TOLLGATE_GROUP_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  TOLLGATE_GROUP_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  TOLLGATE_GROUP_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  TOLLGATE_GROUP_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  TOLLGATE_GROUP_MEMBER unsigned int ballot(int predicate) const {
    return details::packed(__ballot_sync(mask_, predicate), mask_);
  }
  template <typename T> TOLLGATE_GROUP_MEMBER unsigned int match_any(T value) const {
    return details::packed(__match_any_sync(mask_, value), mask_);
  }
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl(T value, unsigned int rank) const {
    return details::shuffle(mask_, value, details::lane_of_rank(mask_, rank % size()));
  }
  /// A member that none stands behind gets its own value.
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }
  /// A member that none stands before gets its own value.
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  /// \}

private:
  unsigned int mask_, meta_rank_, meta_size_;
};

/// As many lanes as a power of two, beside each other.
/// \tparam Size how many lanes, at most 32
/// \tparam Parent the group that was divided
template <unsigned int Size, typename Parent = void> class thread_block_tile {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Size <= 32, "tiles wider than a warp need the CUDA toolkit (nvcc)");

public:
  /// \name Members
  /// \{

  /// \details As in the CUDA C++ Programming Guide.
  TOLLGATE_GROUP_MEMBER void sync() const { __syncwarp(mask()); }
  TOLLGATE_GROUP_MEMBER static constexpr unsigned int size() { return Size; }
  TOLLGATE_GROUP_MEMBER static constexpr unsigned int num_threads() { return Size; }
  TOLLGATE_GROUP_MEMBER static unsigned int thread_rank() { return details::rank_in_block() & (Size - 1); }
  TOLLGATE_GROUP_MEMBER static unsigned int meta_group_rank() { return details::rank_in_block() / Size; }
  TOLLGATE_GROUP_MEMBER static unsigned int meta_group_size() { return (details::block_threads() + Size - 1) / Size; }
  TOLLGATE_GROUP_MEMBER int any(int predicate) const { return __any_sync(mask(), predicate); }
  TOLLGATE_GROUP_MEMBER int all(int predicate) const { return __all_sync(mask(), predicate); }
  TOLLGATE_GROUP_MEMBER unsigned int ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> base() & own_bits();
  }
  template <typename T> TOLLGATE_GROUP_MEMBER unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> base() & own_bits();
  }
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl(T value, unsigned int rank) const {
    return from(value, rank % Size);
  }
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl_xor(T value, unsigned int bits) const {
    const unsigned int rank = thread_rank(), other = rank ^ bits;
    return from(value, other < Size ? other : rank);
  }
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from(value, rank + delta < Size ? rank + delta : rank);
  }
  template <typename T> TOLLGATE_GROUP_MEMBER T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from(value, rank >= delta ? rank - delta : rank);
  }
  /// \}

private:
  TOLLGATE_GROUP_MEMBER static constexpr unsigned int own_bits() { return Size == 32 ? ~0u : (1u << (Size % 32)) - 1; }
  TOLLGATE_GROUP_MEMBER static unsigned int base() { return details::lane() & ~(Size - 1); }
  TOLLGATE_GROUP_MEMBER static unsigned int mask() { return own_bits() << base(); }
  template <typename T> TOLLGATE_GROUP_MEMBER static T from(const T& value, unsigned int rank) {
    return details::shuffle(mask(), value, base() + rank);
  }
};

/// \name The groups that a thread is in
/// \{

/// \details As in the CUDA C++ Programming Guide.
TOLLGATE_DEVICE thread_block this_thread_block() { return {}; }
template <unsigned int Threads> TOLLGATE_DEVICE thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}
TOLLGATE_DEVICE grid_group this_grid() { return {}; }
TOLLGATE_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
/// \}

/// Groups of `Size` members each.
template <unsigned int Size, typename Parent>
TOLLGATE_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// Groups of `size` members each, where the size is known only when the program runs.
template <typename Parent> TOLLGATE_DEVICE coalesced_group tiled_partition(const Parent& parent, unsigned int size) {
  const unsigned int number = parent.thread_rank() / size;
  unsigned int mask = __activemask();
  mask = __match_any_sync(mask, number);
  return coalesced_group(mask, number, (static_cast<unsigned int>(parent.size()) + size - 1) / size);
}

/// Members with the same label, each label a group. The lanes of the parent have to get here together.
template <typename Parent> TOLLGATE_DEVICE coalesced_group labeled_partition(const Parent& parent, unsigned int label) {
  const unsigned int equal = parent.match_any(label);
  const unsigned int first = static_cast<unsigned int>(__ffs(static_cast<int>(equal)) - 1);
  const unsigned int leaders = parent.ballot(parent.thread_rank() == first);
  // Bits by rank in the parent become bits by lane.
  unsigned int mask = 0;
  for (unsigned int rank = 0; rank < parent.size(); ++rank) {
    const unsigned int lane = parent.shfl(details::lane(), rank);
    if ((equal >> rank & 1u) != 0) mask |= 1u << lane;
  }
  return coalesced_group(mask, static_cast<unsigned int>(__popc(leaders & ((1u << first) - 1))),
                         static_cast<unsigned int>(__popc(leaders)));
}
/// Members with the same label, of which there are two. The lanes of the parent have to get here together.
template <typename Parent> TOLLGATE_DEVICE coalesced_group binary_partition(const Parent& parent, bool label) {
  return labeled_partition(parent, label ? 1u : 0u);
}

/// \name Members as functions
/// \{

/// \details As in the CUDA C++ Programming Guide.
template <typename Group> TOLLGATE_DEVICE void sync(const Group& group) { group.sync(); }
template <typename Group> TOLLGATE_DEVICE unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group> TOLLGATE_DEVICE unsigned long long group_size(const Group& group) { return group.size(); }
/// \}

/// \}

} // namespace cooperative_groups
