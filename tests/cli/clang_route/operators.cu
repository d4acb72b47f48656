#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(int* out) {
  half a = __float2half(1.5f), b = 2.0f;
  half2 p = __floats2half2_rn(1.0f, 2.0f), q = p * p + p;
  int ok = 1;
  ok &= __half2float(a + b) == 3.5f && a < b && b >= a && a != b && -a == half(-1.5f);
  ok &= __low2float(q) == 2.0f && __high2float(q) == 6.0f;
  ok &= __heq(a, a) && !__hlt(b, a) && __hltu(a, b) && __hbeq2(p, p) && __hisinf(half(1e6f)) == 1 &&
        __hisnan(__ushort_as_half(0x7e00));
  ok &= __half2int_rz(half(-2.5f)) == -2 && __half2int_rd(half(-2.5f)) == -3 && __half2int_rn(half(2.5f)) == 2;
  ok &= __half_as_ushort(__float2half_ru(1.0001f)) == 0x3c01 && __half_as_ushort(__float2half_rz(1.9999f)) == 0x3fff;
  ok &= float(__hadd_sat(b, b)) == 1.0f && float(__hmin(a, b)) == 1.5f && float(__habs(-b)) == 2.0f;
  __nv_bfloat16 c = 3.0f, d = __float2bfloat16(0.5f);
  c *= d;
  c += __nv_bfloat16(1);
  ok &= float(c) == 2.5f && c > d && __bfloat162int_rz(c) == 2 && float(__hfma(c, c, d)) == 6.75f;
  float f = a;
  f += float(b);
  ok &= f == 3.5f;
  ok &= (int)b == 2;
  ok &= float(hsqrt(half(4.0f))) == 2.0f && float(hfloor(half(-0.5f))) == -1.0f && float(h2rcp(p).y) == 0.5f;
  out[threadIdx.x] = ok;
}
int main() {
  int h[32], *d;
  cudaMalloc(&d, 128);
  k<<<1, 32>>>(d);
  cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
  for (int x : h)
    if (!x) {
      puts("FAIL");
      return 1;
    }
  half z = __float2half(0.1f);
  printf("PASS %g\n", double(__half2float(z * half(3.0f))));
}
