// Shared by the end-to-end programs: each checks itself, prints PASS and returns 0. They hold on a real GPU too
// (compute capability 8.0 or later).
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("FAIL %s:%d %s\n", __FILE__, __LINE__, #condition);                                                  \
      std::fflush(stdout);                                                                                             \
      std::_Exit(1);                                                                                                   \
    }                                                                                                                  \
  } while (0)

#define EXPECT(call, expected)                                                                                         \
  do {                                                                                                                 \
    const cudaError_t got_ = (call);                                                                                   \
    if (got_ != (expected)) {                                                                                          \
      std::printf("FAIL %s:%d %s: %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_),                    \
                  cudaGetErrorName(expected));                                                                         \
      std::fflush(stdout);                                                                                             \
      std::_Exit(1);                                                                                                   \
    }                                                                                                                  \
  } while (0)

#define OK(call) EXPECT(call, cudaSuccess)

inline int pass() {
  std::printf("PASS\n");
  return 0;
}
