// Bulk copies as instructions: what <cuda/barrier> and CUTLASS wrap. All for sm_90.
#pragma once

#include "../check_case.h"

#define SHARED(object) static_cast<unsigned>(__cvta_generic_to_shared(object))

#define BAR_INIT(bar, count)                                                                                           \
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define BAR_EXPECT(bar, bytes)                                                                                         \
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(SHARED(bar)), "r"(bytes)     \
               : "memory")
#define BAR_WAIT(bar, parity)                                                                                          \
  for (int done = 0; done == 0;)                                                                                       \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"             \
               : "=r"(done)                                                                                            \
               : "r"(SHARED(bar)), "r"(parity)                                                                         \
               : "memory")
#define BULK_LOAD(to, from, bytes, bar)                                                                                \
  asm volatile(                                                                                                        \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)),     \
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(SHARED(bar))                                                \
      : "memory")
#define BULK_STORE(to, from, bytes)                                                                                    \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),      \
               "r"(SHARED(from)), "r"(bytes)                                                                           \
               : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
