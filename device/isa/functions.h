// The toolkit's atomic functions and the types they are asked for, as types: what they compile to (atomics.cu), and how
// fast they are (device/bench/atomics.cu).
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct alignas(16) b128 {
  unsigned long long low, high;
};
using u64 = unsigned long long;
using i64 = long long;
using u16 = unsigned short;
using half = __half;
using half2 = __half2;
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

#define FUNCTION(name, call)                                                                                           \
  struct name {                                                                                                        \
    static constexpr const char* text = #name;                                                                         \
    template <class T> static constexpr bool exists = requires(T* p, T v) { call; };                                   \
    template <class T> static __device__ T apply(T* p, T v) { return call; }                                           \
  };
FUNCTION(Add, atomicAdd(p, v))
FUNCTION(Sub, atomicSub(p, v))
FUNCTION(Min, atomicMin(p, v))
FUNCTION(Max, atomicMax(p, v))
FUNCTION(Inc, atomicInc(p, v))
FUNCTION(Dec, atomicDec(p, v))
FUNCTION(And, atomicAnd(p, v))
FUNCTION(Or, atomicOr(p, v))
FUNCTION(Xor, atomicXor(p, v))
FUNCTION(Exch, atomicExch(p, v))
FUNCTION(CAS, atomicCAS(p, T{}, v))
#undef FUNCTION
