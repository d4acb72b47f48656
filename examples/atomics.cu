// Every atomic of the chapter, each on one word that all threads update.
//
// Shows: what each operation leaves behind, and that it returns the value from before. The results do not depend on
// the order of the threads, so they can be checked.
//
// Prints one line an operation ("atomicAdd int  right", ...), then "all atomics are right".
#include "cuda_check.h"

#include <algorithm>

constexpr int BLOCKS = 8, THREADS = 128, N = BLOCKS * THREADS;

struct Words {
  int add, sub, min, max;
  unsigned int bit_and, bit_or, bit_xor, exchanged, inc, dec;
  unsigned long long add_wide, max_wide;
  float add_float;
  double add_double;
  unsigned long long exchange_sum; // of the values that atomicExch returned
  int cas_sum;                     // summed by a compare-and-swap loop
  int tickets[N];                  // how often atomicAdd returned each old value
};

__global__ void update(Words* w) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&w->tickets[atomicAdd(&w->add, 1)], 1);
  atomicSub(&w->sub, 2);
  atomicMin(&w->min, -id);
  atomicMax(&w->max, id * 3);
  atomicAnd(&w->bit_and, ~(1u << (id % 16)));
  atomicOr(&w->bit_or, 1u << (id % 20));
  atomicXor(&w->bit_xor, static_cast<unsigned>(id));
  atomicInc(&w->inc, 99);  // counts 0..99, then starts again at 0
  atomicDec(&w->dec, 99);  // the same downwards
  atomicAdd(&w->add_wide, 1ull << 32);
  atomicMax(&w->max_wide, static_cast<unsigned long long>(id) << 40);
  atomicAdd(&w->add_float, 0.5f);
  atomicAdd(&w->add_double, 0.25); // native since compute capability 6.0

  // Everyone puts a value in and takes the one from before: in the end each is somewhere exactly once.
  const unsigned before = atomicExch(&w->exchanged, static_cast<unsigned>(id + 1));
  atomicAdd(&w->exchange_sum, static_cast<unsigned long long>(before));

  // Compare-and-swap: try to replace the value we saw, and look again if somebody was faster.
  int seen = w->cas_sum, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&w->cas_sum, assumed, assumed + id);
  } while (seen != assumed);
}

static bool all_right = true;

static void report(const char* name, bool right) {
  std::printf("%-16s %s\n", name, right ? "right" : "WRONG");
  all_right = all_right && right;
}

int main() {
  static Words w; // zero
  w.bit_and = 0xffffffffu;
  Words* device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, sizeof w));
  CUDA_CHECK(cudaMemcpy(device, &w, sizeof w, cudaMemcpyHostToDevice));
  update<<<BLOCKS, THREADS>>>(device);
  CUDA_CHECK_KERNEL();
  CUDA_CHECK(cudaMemcpy(&w, device, sizeof w, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));

  const unsigned long long triangle = 1ull * N * (N - 1) / 2; // 0 + 1 + ... + N-1
  report("atomicAdd int", w.add == N && std::all_of(w.tickets, w.tickets + N, [](int n) { return n == 1; }));
  report("atomicSub", w.sub == -2 * N);
  report("atomicMin", w.min == -(N - 1));
  report("atomicMax", w.max == 3 * (N - 1));
  report("atomicAnd", w.bit_and == 0xffff0000u);
  report("atomicOr", w.bit_or == 0x000fffffu);
  report("atomicXor", w.bit_xor == 0); // 0 ^ 1 ^ ... ^ 1023
  report("atomicInc", w.inc == N % 100);
  report("atomicDec", w.dec == (100 - N % 100) % 100);
  report("atomicAdd u64", w.add_wide == static_cast<unsigned long long>(N) << 32);
  report("atomicMax u64", w.max_wide == static_cast<unsigned long long>(N - 1) << 40);
  report("atomicAdd float", w.add_float == 0.5f * N);
  report("atomicAdd double", w.add_double == 0.25 * N);
  report("atomicExch", w.exchange_sum + w.exchanged == triangle + N);
  report("atomicCAS", w.cas_sum == static_cast<int>(triangle));
  if (all_right) std::printf("all atomics are right\n");
  return all_right ? 0 : 1;
}
