// CUB and cooperative groups on incomplete tiles: much is moved that nobody wrote, and nothing is made of it.
#include "../../check_case.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

namespace cg = cooperative_groups;

__global__ void partial(const int* in, int* out, int n) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
  } storage;
  int items[4];
  Load(storage.load).Load(in, items, n);
  __syncthreads();
  int valid = 0;
  for (int i = 0; i < 4; ++i)
    if (int(threadIdx.x) * 4 + i < n) valid += items[i];
  const int sum = Reduce(storage.reduce).Sum(valid, (n + 3) / 4);
  if (threadIdx.x == 0) out[256] = sum;
  __syncthreads();
  Store(storage.store).Store(out, items, n);
}

__global__ void sorted(const unsigned* in, unsigned* out) {
  using Sort = cub::BlockRadixSort<unsigned, 64, 2>;
  __shared__ typename Sort::TempStorage storage;
  unsigned keys[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]};
  Sort(storage).Sort(keys);
  out[threadIdx.x * 2] = keys[0];
  out[threadIdx.x * 2 + 1] = keys[1];
}

__global__ void scanned(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 96>;
  __shared__ typename Scan::TempStorage storage;
  int sum = 0;
  Scan(storage).ExclusiveSum(in[threadIdx.x], sum);
  out[threadIdx.x] = sum;
}

__global__ void grouped(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  block.sync();
}

int main() {
  int* in = device_array<int>(256);
  partial<<<1, 64>>>(in, device_array<int>(257), 201);
  sorted<<<1, 64>>>(reinterpret_cast<unsigned*>(in), device_array<unsigned>(128));
  scanned<<<1, 96>>>(in, device_array<int>(96));
  grouped<<<1, 64>>>(in, device_array<int>(64));
  return finish();
}
