// CUDA's keywords, as the attributes that clang knows, and the vector types.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang knows this attribute for HIP alone: without nvcc there is no way to say it.
#define __managed__                                                                                                    \
  _Pragma(                                                                                                             \
      "GCC error \"__managed__ variables need nvcc (the CUDA toolkit); without it, allocate with cudaMallocManaged\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
// Not __noinline__: libstdc++ uses that word inside __attribute__((...)).
#define __align__(n) __attribute__((aligned(n)))

#define TOLLGATE_VECTOR(type, base, align1, align2, align4)                                                            \
  struct align1 type##1 { base x; };                                                                                   \
  struct align2 type##2 { base x, y; };                                                                                \
  struct type##3 { base x, y, z; };                                                                                    \
  struct align4 type##4 { base x, y, z, w; };                                                                          \
  static inline __host__ __device__ type##1 make_##type##1(base x) { return {x}; }                                     \
  static inline __host__ __device__ type##2 make_##type##2(base x, base y) { return {x, y}; }                          \
  static inline __host__ __device__ type##3 make_##type##3(base x, base y, base z) { return {x, y, z}; }               \
  static inline __host__ __device__ type##4 make_##type##4(base x, base y, base z, base w) { return {x, y, z, w}; }

/// \cond vectors are as in CUDA, and 40 in number
TOLLGATE_VECTOR(char, signed char, , __align__(2), __align__(4))
TOLLGATE_VECTOR(uchar, unsigned char, , __align__(2), __align__(4))
TOLLGATE_VECTOR(short, short, , __align__(4), __align__(8))
TOLLGATE_VECTOR(ushort, unsigned short, , __align__(4), __align__(8))
TOLLGATE_VECTOR(int, int, , __align__(8), __align__(16))
TOLLGATE_VECTOR(uint, unsigned int, , __align__(8), __align__(16))
TOLLGATE_VECTOR(longlong, long long, , __align__(16), __align__(16))
TOLLGATE_VECTOR(ulonglong, unsigned long long, , __align__(16), __align__(16))
TOLLGATE_VECTOR(float, float, , __align__(8), __align__(16))
TOLLGATE_VECTOR(double, double, , __align__(16), __align__(16))
/// \endcond
#undef TOLLGATE_VECTOR

/// The sizes of a grid or a block, and places in them.
/// \ingroup cuda_runtime
struct dim3 {
  /// \name Numbers
  /// \{

  /// \details Of threads or blocks, or places counted from 0.
  unsigned int x, y, z;
  /// \}

  /// What is not given is 1.
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  /// From the vector type and to it.
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  /// From the vector type and to it.
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
