// The instructions themselves, as functions: what a program gets from <cuda/ptx> or writes as inline PTX.
#pragma once

#include "../check_case.h"

#define OBJECT(name)                                                                                                   \
  __shared__ alignas(8) unsigned long long name##_word;                                                                \
  const unsigned name = static_cast<unsigned>(__cvta_generic_to_shared(&name##_word))

#define INIT(object, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object), "r"(count) : "memory")
#define INVAL(object) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(object) : "memory")
#define ARRIVE_AT(object) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(object) : "memory")
#define ARRIVE_TIMES(object, count)                                                                                    \
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0], %1; }" ::"r"(object), "r"(count) : "memory")
#define WAIT(object, parity)                                                                                           \
  for (int done = 0; done == 0;)                                                                                       \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"             \
               : "=r"(done)                                                                                            \
               : "r"(object), "r"(parity)                                                                              \
               : "memory")
#define WAIT_FOR_TOKEN(object, token)                                                                                  \
  for (int done = 0; done == 0;)                                                                                       \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"                    \
               : "=r"(done)                                                                                            \
               : "r"(object), "l"(token)                                                                               \
               : "memory")
