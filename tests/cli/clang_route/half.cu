#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <cmath>
__global__ void k(const float* x, float* o, int n, __half* sum, __nv_bfloat16* bsum, __half2* sum2) {
  int i = threadIdx.x;
  __half h = __float2half(x[i]);
  __half2 h2 = __half2half2(h);
  __nv_bfloat16 b = __float2bfloat16(x[i]);
  o[i] = __half2float(hsin(h)); o[n+i] = __half2float(hexp(h)); o[2*n+i] = __half2float(hsqrt(__habs(h)));
  o[3*n+i] = __half2float(__hfma(h,h,h)); o[4*n+i] = __low2float(__hadd2(h2,h2)); o[5*n+i] = __bfloat162float(b*b+b);
  o[6*n+i] = __bfloat162float(hexp(b)); o[7*n+i] = __half2float(hlog(__habs(h))); o[8*n+i] = __half2float(h/__float2half(3.f));
  o[9*n+i] = __half2float(htanh(h)); o[10*n+i] = (float)__half2int_rn(h); o[11*n+i] = __half2float(__hmax(h,__float2half(0.f)));
  atomicAdd(sum, __half(1)); atomicAdd(bsum + 1, __nv_bfloat16(1)); atomicAdd(sum2, __half2(1.0f, 2.0f));
  h += __half(1.5f); if (h > __half(2.0f)) o[i] += 0;
  o[i] += float(__shfl_xor_sync(~0u, h, 1)) * 0;
}
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); return 1; } } while (0)
int main() {
  const int n = 64; float x[n], r[12 * n], *dx, *o; __half* s; __nv_bfloat16* bs; __half2* s2;
  for (int i = 0; i < n; ++i) x[i] = __half2float(__float2half((i - 32) * 0.11f));
  CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&o, sizeof r)); CK(cudaMalloc(&s, 4)); CK(cudaMalloc(&bs, 4)); CK(cudaMalloc(&s2, 4));
  CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice)); CK(cudaMemset(s, 0, 4)); CK(cudaMemset(bs, 0, 4)); CK(cudaMemset(s2, 0, 4));
  k<<<1, n>>>(dx, o, n, s, bs, s2);
  CK(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
  __half hs; __nv_bfloat16 hb[2]; __half2 hs2;
  CK(cudaMemcpy(&hs, s, 2, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(hb, bs, 4, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(&hs2, s2, 4, cudaMemcpyDeviceToHost));
  int bad = !(float(hs) == n) + !(float(hb[1]) == n) + !(float(hb[0]) == 0) + !(float(hs2.x) == n && float(hs2.y) == 2 * n);
  if (bad) printf("sums %g %g %g %g\n", float(hs), float(hb[1]), float(hs2.x), float(hs2.y));
  for (int i = 0; i < n; ++i) { float v = x[i]; float h[12] = {sinf(v),expf(v),sqrtf(fabsf(v)),v*v+v,v+v,v*v+v,expf(v),logf(fabsf(v)),v/3,tanhf(v),rintf(v),fmaxf(v,0)};
    for (int f = 0; f < 12; ++f) { double tol = (f == 5 || f == 6) ? 0.04 : 0.004; float got = r[f * n + i];
      if (!(fabs(got - h[f]) <= tol * fmax(1.f, fabs(h[f])) || got == h[f])) { printf("f%d x=%g got %g want %g\n", f, v, got, h[f]); ++bad; } } }
  puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
