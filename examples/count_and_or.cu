// Barriers that bring back an answer: __syncthreads_count, __syncthreads_and, __syncthreads_or.
//
// Shows: a barrier and a reduction over the block in one step. Every thread gets the same result.
//
// Prints, for 4 blocks of 200 threads that test whether their element is below a limit of 300:
//   block 0: count 200, all yes, any yes
//   block 1: count 100, all no, any yes
//   block 2: count 0, all no, any no
//   block 3: count 0, all no, any no
#include "cuda_check.h"

struct Answer {
  int count, all, any;
  int agree; // how many threads of the block saw the same three results as thread 0
};

__global__ void ask(int limit, Answer* answers) {
  __shared__ Answer first;
  const int element = blockIdx.x * blockDim.x + threadIdx.x;
  const bool below = element < limit;
  const int count = __syncthreads_count(below);
  const int all = __syncthreads_and(below) != 0;
  const int any = __syncthreads_or(below) != 0;
  if (threadIdx.x == 0) first = {count, all, any, 0};
  __syncthreads();
  const int agree = __syncthreads_count(count == first.count && all == first.all && any == first.any);
  if (threadIdx.x == 0) answers[blockIdx.x] = {count, all, any, agree};
}

int main() {
  constexpr int blocks = 4, threads = 200, limit = 300;
  Answer* device = nullptr;
  Answer answers[blocks];
  CUDA_CHECK(cudaMalloc(&device, sizeof answers));
  ask<<<blocks, threads>>>(limit, device);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(answers, device, sizeof answers, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));

  bool right = true;
  for (int block = 0; block < blocks; ++block) {
    const Answer& answer = answers[block];
    std::printf("block %d: count %d, all %s, any %s\n", block, answer.count, answer.all ? "yes" : "no",
                answer.any ? "yes" : "no");
    const int left = limit - block * threads, expected = left < 0 ? 0 : left > threads ? threads : left;
    right = right && answer.count == expected && answer.all == (expected == threads) && answer.any == (expected > 0) &&
            answer.agree == threads;
  }
  if (!right) std::printf("WRONG\n");
  return right ? 0 : 1;
}
