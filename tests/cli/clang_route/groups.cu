#include <cassert>
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(const int* in, int* o) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<8>(b);
  const int i = b.thread_rank(), x = in[i];
  assert(x >= 0);
  o[i] = cg::reduce(t, x, cg::plus<int>());
  o[128 + i] = cg::inclusive_scan(t, x, cg::plus<int>());
  o[256 + i] = cg::exclusive_scan(t, x);
  o[384 + i] = 0;
  if (i % 3 == 0) { auto c = cg::coalesced_threads(); o[384 + i] = cg::reduce(c, 1, cg::plus<int>()) * 100 + c.thread_rank(); }
  auto w = cg::tiled_partition<32>(b);
  auto l = cg::labeled_partition(w, i % 4);
  o[512 + i] = cg::reduce(l, x, cg::greater<int>());
  auto bp = cg::binary_partition(w, x & 1);
  o[640 + i] = bp.size() * 100 + bp.thread_rank();
  o[768 + i] = t.shfl_xor(x, 3) + t.any(x > 200) * 1000;
  o[896 + i] = (t.ballot(x & 1) >> t.thread_rank() & 1) == unsigned(x & 1) && w.match_any(x % 5) != 0 && t.size() == 8 && t.meta_group_rank() == unsigned(i / 8) && t.all(x >= 0);
  b.sync();
}
__global__ void gs(int* a, int* b, int n) {
  auto g = cg::this_grid();
  for (int it = 0; it < 5; it++) {
    for (int i = g.thread_rank(); i < n; i += g.size()) b[i] = a[(i + 1) % n] + 1;
    g.sync();
    for (int i = g.thread_rank(); i < n; i += g.size()) a[i] = b[i];
    g.sync();
  }
}
int bad = 0;
#define EXPECT(x) do { if (!(x) && bad++ < 10) printf("line %d i=%d: %s\n", __LINE__, i, #x); } while (0)
int main() {
  int h[128], r[1024], *d, *o;
  for (int i = 0; i < 128; i++) h[i] = (i * 7919) % 311;
  cudaMalloc(&d, sizeof h); cudaMalloc(&o, sizeof r);
  cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  k<<<1, 128>>>(d, o);
  cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; i++) {
    int t = i / 8 * 8, s = 0, p = 0, w = i / 32 * 32, n = 0, rk = 0, mx = -1; bool any = false;
    for (int j = t; j < t + 8; j++) { s += h[j]; if (j <= i) p += h[j]; any |= h[j] > 200; }
    EXPECT(r[i] == s); EXPECT(r[128 + i] == p); EXPECT(r[256 + i] == p - h[i]);
    if (i % 3 == 0) { for (int j = w; j < w + 32; j++) if (j % 3 == 0) { n++; if (j < i) rk++; } EXPECT(r[384 + i] == n * 100 + rk); }
    n = rk = 0;
    for (int j = w; j < w + 32; j++) { if (j % 4 == i % 4 && h[j] > mx) mx = h[j]; if ((h[j] & 1) == (h[i] & 1)) { n++; if (j < i) rk++; } }
    EXPECT(r[512 + i] == mx); EXPECT(r[640 + i] == n * 100 + rk); EXPECT(r[768 + i] == h[t + ((i - t) ^ 3)] + any * 1000); EXPECT(r[896 + i] == 1);
  }
  int n = 1000, a[1000], *da, *db;
  for (int i = 0; i < n; i++) a[i] = i;
  cudaMalloc(&da, sizeof a); cudaMalloc(&db, sizeof a); cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  void* args[] = {&da, &db, &n};
  cudaLaunchCooperativeKernel((void*)gs, 4, 64, args, 0, 0);
  cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) EXPECT(a[i] == (i + 5) % n + 5);
  puts(bad ? "FAIL" : "PASS");
  return bad != 0;
}
