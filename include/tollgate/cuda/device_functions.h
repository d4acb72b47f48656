// The device side: index variables, barriers, fences, atomics, warp functions, on clang's NVPTX built-ins.
// __syncthreads() is a built-in of clang itself.
#pragma once

#include "keywords.h"

#include <__clang_cuda_builtin_vars.h>

#define TOLLGATE_DEVICE static __inline__ __attribute__((always_inline, device))

/// \addtogroup cuda_runtime
/// \{

/// \name The C library in kernels
/// \{

/// \details As in the CUDA C++ Programming Guide.
extern "C" __device__ int vprintf(const char*, const char*);
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ void* malloc(size_t);
extern "C" __device__ void free(void*);

/// What assert() calls: glibc declares it for the host, this is the same name for kernels.
extern "C" __device__ void __assert_fail(const char*, const char*, unsigned int, const char*) noexcept(true);
/// \}

/// \name Barriers, fences and time
/// \{

/// \details As in the CUDA C++ Programming Guide.
TOLLGATE_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
TOLLGATE_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
TOLLGATE_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
TOLLGATE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
TOLLGATE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
TOLLGATE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
TOLLGATE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
TOLLGATE_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
TOLLGATE_DEVICE void __nanosleep(unsigned int time) { asm volatile("nanosleep.u32 %0;" ::"r"(time)); }
TOLLGATE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
TOLLGATE_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
TOLLGATE_DEVICE void __trap() { asm volatile("trap;"); }
/// \}

/// \name Bits and reads
/// \{

/// \details As in the CUDA Math API and the CUDA C++ Programming Guide.
TOLLGATE_DEVICE int __popc(unsigned int v) { return __builtin_popcount(v); }
TOLLGATE_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
TOLLGATE_DEVICE int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(v)); }
TOLLGATE_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
TOLLGATE_DEVICE unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
template <typename T> TOLLGATE_DEVICE T __ldg(const T* pointer) { return *pointer; }
/// \}

/// \name Atomics
/// \{

/// \details The old value is returned. Those that no built-in offers are compare-and-swap loops, as in CUDA itself.
TOLLGATE_DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
TOLLGATE_DEVICE unsigned int atomicAdd(unsigned int* p, unsigned int v) {
  return static_cast<unsigned int>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v)));
}
TOLLGATE_DEVICE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return static_cast<unsigned long long>(
      __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(p), static_cast<long long>(v)));
}
TOLLGATE_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
TOLLGATE_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
TOLLGATE_DEVICE int atomicSub(int* p, int v) { return atomicAdd(p, -v); }
TOLLGATE_DEVICE unsigned int atomicSub(unsigned int* p, unsigned int v) { return atomicAdd(p, 0u - v); }
TOLLGATE_DEVICE int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
TOLLGATE_DEVICE unsigned int atomicExch(unsigned int* p, unsigned int v) {
  return static_cast<unsigned int>(__nvvm_atom_xchg_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v)));
}
TOLLGATE_DEVICE unsigned long long atomicExch(unsigned long long* p, unsigned long long v) {
  return static_cast<unsigned long long>(
      __nvvm_atom_xchg_gen_ll(reinterpret_cast<long long*>(p), static_cast<long long>(v)));
}
TOLLGATE_DEVICE float atomicExch(float* p, float v) {
  return __builtin_bit_cast(float, atomicExch(reinterpret_cast<int*>(p), __builtin_bit_cast(int, v)));
}
TOLLGATE_DEVICE int atomicCAS(int* p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
TOLLGATE_DEVICE unsigned int atomicCAS(unsigned int* p, unsigned int expected, unsigned int v) {
  return static_cast<unsigned int>(
      __nvvm_atom_cas_gen_i(reinterpret_cast<int*>(p), static_cast<int>(expected), static_cast<int>(v)));
}
TOLLGATE_DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected, unsigned long long v) {
  return static_cast<unsigned long long>(__nvvm_atom_cas_gen_ll(
      reinterpret_cast<long long*>(p), static_cast<long long>(expected), static_cast<long long>(v)));
}
TOLLGATE_DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
TOLLGATE_DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
TOLLGATE_DEVICE unsigned int atomicMin(unsigned int* p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }
TOLLGATE_DEVICE unsigned int atomicMax(unsigned int* p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }
TOLLGATE_DEVICE unsigned int atomicInc(unsigned int* p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
TOLLGATE_DEVICE unsigned int atomicDec(unsigned int* p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }

#define TOLLGATE_BITWISE(name, builtin)                                                                                \
  TOLLGATE_DEVICE int name(int* p, int v) { return builtin(p, v); }                                                    \
  TOLLGATE_DEVICE unsigned int name(unsigned int* p, unsigned int v) {                                                 \
    return static_cast<unsigned int>(builtin(reinterpret_cast<int*>(p), static_cast<int>(v)));                         \
  }
TOLLGATE_BITWISE(atomicAnd, __nvvm_atom_and_gen_i)
TOLLGATE_BITWISE(atomicOr, __nvvm_atom_or_gen_i)
TOLLGATE_BITWISE(atomicXor, __nvvm_atom_xor_gen_i)
#undef TOLLGATE_BITWISE
/// \}

// The last operand packs the width: bits 8-12 keep a lane in its segment (PTX ISA, shfl.sync).
/// \name Votes and shuffles
/// \{

/// \details As in the CUDA C++ Programming Guide.
TOLLGATE_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
TOLLGATE_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
TOLLGATE_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}

TOLLGATE_DEVICE unsigned int __match_any_sync(unsigned int mask, unsigned int v) {
  unsigned int equal;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(equal) : "r"(v), "r"(mask) : "memory");
  return equal;
}
TOLLGATE_DEVICE unsigned int __match_any_sync(unsigned int mask, unsigned long long v) {
  unsigned int equal;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(equal) : "l"(v), "r"(mask) : "memory");
  return equal;
}
TOLLGATE_DEVICE unsigned int __match_any_sync(unsigned int mask, int v) {
  return __match_any_sync(mask, static_cast<unsigned int>(v));
}
TOLLGATE_DEVICE unsigned int __match_any_sync(unsigned int mask, float v) {
  return __match_any_sync(mask, __builtin_bit_cast(unsigned int, v));
}

#define TOLLGATE_SHUFFLE(name, builtin, clamp)                                                                         \
  TOLLGATE_DEVICE int name(unsigned int mask, int v, int lane, int width = 32) {                                       \
    return builtin##_i32(mask, v, lane, ((32 - width) << 8) | clamp);                                                  \
  }                                                                                                                    \
  TOLLGATE_DEVICE unsigned int name(unsigned int mask, unsigned int v, int lane, int width = 32) {                     \
    return static_cast<unsigned int>(name(mask, static_cast<int>(v), lane, width));                                    \
  }                                                                                                                    \
  TOLLGATE_DEVICE float name(unsigned int mask, float v, int lane, int width = 32) {                                   \
    return builtin##_f32(mask, v, lane, ((32 - width) << 8) | clamp);                                                  \
  }                                                                                                                    \
  TOLLGATE_DEVICE unsigned long long name(unsigned int mask, unsigned long long v, int lane, int width = 32) {         \
    const unsigned int low = name(mask, static_cast<unsigned int>(v), lane, width);                                    \
    const unsigned int high = name(mask, static_cast<unsigned int>(v >> 32), lane, width);                             \
    return static_cast<unsigned long long>(high) << 32 | low;                                                          \
  }                                                                                                                    \
  TOLLGATE_DEVICE long long name(unsigned int mask, long long v, int lane, int width = 32) {                           \
    return static_cast<long long>(name(mask, static_cast<unsigned long long>(v), lane, width));                        \
  }                                                                                                                    \
  TOLLGATE_DEVICE double name(unsigned int mask, double v, int lane, int width = 32) {                                 \
    return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, v), lane, width));             \
  }
TOLLGATE_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx, 31)
TOLLGATE_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up, 0)
TOLLGATE_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down, 31)
TOLLGATE_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly, 31)
#undef TOLLGATE_SHUFFLE
/// \}

/// \name Arithmetic
/// \{

/// \details As in the CUDA Math API.
TOLLGATE_DEVICE float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
TOLLGATE_DEVICE float rsqrtf(float v) { return __nvvm_rsqrt_approx_f(v); }
TOLLGATE_DEVICE float fabsf(float v) { return __builtin_fabsf(v); }
TOLLGATE_DEVICE double fabs(double v) { return __builtin_fabs(v); }
TOLLGATE_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TOLLGATE_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
TOLLGATE_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }

template <typename T> static inline __host__ __device__ T min(T a, T b) { return b < a ? b : a; }
template <typename T> static inline __host__ __device__ T max(T a, T b) { return a < b ? b : a; }
/// \}

/// \}
