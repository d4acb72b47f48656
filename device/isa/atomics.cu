// One small kernel for each atomic function, type and space, to see what the compiler makes of it (atomics.py). A
// kernel whose function the toolkit does not have for the type, or not for the architecture, stays without any atomic.
#include "functions.h"

template <class Function, class T, bool shared, bool used> __device__ void body(T* data, T* out, T value) {
  if constexpr (Function::template exists<T>) {
    if constexpr (shared) {
      __shared__ T words[32];
      words[threadIdx.x] = value;
      __syncthreads();
      const T before = Function::apply(&words[threadIdx.x ^ 1], value);
      __syncthreads();
      out[threadIdx.x] = words[threadIdx.x];
      if (used) out[threadIdx.x + 32] = before;
    } else {
      const T before = Function::apply(&data[threadIdx.x], value);
      if (used) out[threadIdx.x] = before;
    }
  }
}

#define KERNEL(function, type, space, shared, use, used)                                                               \
  extern "C" __global__ void function##_##type##_##space##_##use(type* data, type* out, type value) {                  \
    body<function, type, shared, used>(data, out, value);                                                              \
  }
#define TYPE(function, type)                                                                                           \
  KERNEL(function, type, global, false, used, true)                                                                    \
  KERNEL(function, type, global, false, unused, false)                                                                 \
  KERNEL(function, type, shared, true, used, true)                                                                     \
  KERNEL(function, type, shared, true, unused, false)
#define ALL_TYPES(function)                                                                                            \
  TYPE(function, int)                                                                                                  \
  TYPE(function, unsigned)                                                                                             \
  TYPE(function, i64)                                                                                                  \
  TYPE(function, u64)                                                                                                  \
  TYPE(function, u16)                                                                                                  \
  TYPE(function, half)                                                                                                 \
  TYPE(function, half2)                                                                                                \
  TYPE(function, bf16)                                                                                                 \
  TYPE(function, bf162)                                                                                                \
  TYPE(function, float)                                                                                                \
  TYPE(function, float2)                                                                                               \
  TYPE(function, float4)                                                                                               \
  TYPE(function, double)                                                                                               \
  TYPE(function, b128)
ALL_TYPES(Add)
ALL_TYPES(Sub)
ALL_TYPES(Min)
ALL_TYPES(Max)
ALL_TYPES(Inc)
ALL_TYPES(Dec)
ALL_TYPES(And)
ALL_TYPES(Or)
ALL_TYPES(Xor)
ALL_TYPES(Exch)
ALL_TYPES(CAS)
