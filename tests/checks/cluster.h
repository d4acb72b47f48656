// Clusters without <cooperative_groups.h>, which takes long to compile.
#pragma once

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
}
// The same variable in the block of rank `rank`.
template <typename T> __device__ T* map_shared(T* variable, unsigned rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(variable), "r"(rank));
  return there;
}
