// A lock out of atomicCAS, taken by every thread of every block.
//
// Shows: atomicCAS(&lock, 0, 1) takes the lock when it returns 0; atomicExch(&lock, 0) gives it back. Two fences keep
// the protected reads and writes inside. The threads of one warp compete too, so the critical section lies inside
// the branch that won: a warp that waited for its own lane's release outside of it would hang on devices older than
// Volta, and no device promises that lanes move on together.
//
// Prints: "4096 entries, none was lost".
#include "cuda_check.h"

struct Shared {
  int lock;                // 0 free, 1 taken
  int entries;             // plain, protected by the lock
  unsigned long long last; // the same: who was in last
  int chained;             // how often an entrant found what the one before it had left
};

__global__ void enter(Shared* s) {
  const unsigned long long me = blockIdx.x * blockDim.x + threadIdx.x + 1;
  bool done = false;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      __threadfence(); // nothing below moves up past taking the lock
      if ((s->last != 0) == (s->entries != 0)) s->chained = s->chained + 1;
      s->entries = s->entries + 1;
      s->last = me;
      __threadfence(); // everything above is visible before the lock is seen free
      atomicExch(&s->lock, 0);
      done = true;
    }
  }
}

int main() {
  constexpr int blocks = 32, threads = 128;
  Shared* device = nullptr;
  Shared result{};
  CUDA_CHECK(cudaMalloc(&device, sizeof result));
  CUDA_CHECK(cudaMemset(device, 0, sizeof result));
  enter<<<blocks, threads>>>(device);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));
  const bool right = result.entries == blocks * threads && result.chained == blocks * threads && result.lock == 0;
  std::printf("%d entries, %s\n", result.entries, right ? "none was lost" : "some were LOST");
  return right ? 0 : 1;
}
