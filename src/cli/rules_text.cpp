#include "cli/rules_text.h"

#include <algorithm>
#include <array>

namespace tollgate::cli {

namespace {

constexpr std::array texts{
    RuleText{
        "barrier-divergent", "error",
        "The threads of a block did not all meet: some waited at a barrier that others went past, because the "
        "condition of a branch or the trip count of a loop around it differed between threads.",
        R"(__global__ void guarded(int* data, int n) {
  __shared__ int tile[256];
  if (threadIdx.x < n) {
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();                       // threads n and up never come
  }
  data[threadIdx.x] = tile[255 - threadIdx.x];
})",
        "The CUDA C++ Programming Guide allows __syncthreads() in conditional code only if the condition has the same "
        "value in every thread of the block. PTX says the same of bar.sync: all threads of a warp must execute it.",
        "Undefined. Since Volta a barrier waits for every thread that has not exited, so the block may hang, or go on "
        "when the others leave the kernel, with data that was never written. It may also work until the next change.",
        "Put the barrier where every thread passes: keep the guarded work inside the branch and the barrier behind it. "
        "In loops, let all threads make the same number of trips and guard the body."},
    RuleText{
        "barrier-early-exit", "warning",
        "Threads had left the kernel through an earlier `return` when the others met at a barrier. In code that was "
        "compiled with the optimiser on, a barrier inside a branch looks exactly the same: then the source decides "
        "whether it is this rule or barrier-divergent.",
        R"(__global__ void scale(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;                      // part of the last block leaves
  ...
  __syncthreads();
})",
        "The guide: __syncthreads() waits for all non-exited threads of the block. So this is legal since compute "
        "capability 7.0.",
        "Works since Volta. Earlier devices counted warps and could hang or release the barrier early. It breaks as soon "
        "as code behind the barrier expects work from all threads: a tile that was not filled, a reduction tree.",
        "Guard the work instead of returning: `if (i < n) { ... }` before and after, with the barrier outside."},
    RuleText{
        "barrier-mismatch", "error, or warning where whole warps met at different calls",
        "Threads that were released together had not made the same barrier call. Inside one warp that is an error; "
        "whole warps at different __syncthreads() are a warning. Thread counts that differ, or bar.red mixed with "
        "another kind on one barrier, are errors. Several calls on a named barrier are legal.",
        R"(__global__ void two_calls(int* data) {
  if (threadIdx.x % 2) {
    data[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();                       // another call, the same warp
  }
})",
        "PTX ISA, bar/barrier: for .aligned forms all threads of a warp execute the same instruction; all threads that "
        "take part in one barrier give the same count, and bar.red does not mix with sync or arrive.",
        "The hardware counts arrivals and does not compare calls, so the two halves release each other although they "
        "stand at different points of the program. Inside one warp the result is undefined.",
        "Make one call that everybody reaches. Where warps have different roles, use named barriers with counts."},
    RuleText{
        "barrier-count", "error; a note for an arrival that nobody waited for",
        "A barrier asks for a number of threads that cannot come: no multiple of the warp size, or more than the block "
        "has. An arrival that is left over when the block ends is a note.",
        R"(__global__ void odd_count() {
  asm volatile("bar.sync 1, 40;");         // warps come whole: 32 or 64
})",
        "PTX ISA, bar/barrier: the thread count is a multiple of the warp size; bar.arrive needs one.",
        "An illegal count traps or hangs, depending on the device.",
        "Round the count up to whole warps, and let exactly that many threads come."},
    RuleText{
        "deadlock", "error",
        "No thread of the block, or of a cooperative grid, can go on: each waits for a thread that will not come.",
        R"(__global__ void too_many() {             // launched with 64 threads
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");       // one warp waits, the other never calls
  else
    asm volatile("bar.sync 2, 64;");
})",
        "A barrier with a count is complete when that many threads have arrived, and not before.",
        "The kernel hangs until the driver or you end it; a display driver ends it after some seconds.",
        "The report says who waits where and for how many. Bring all of them to one barrier, or correct the count."},
    RuleText{
        "livelock", "error",
        "Threads spin on a value that nobody who is left can change: a lock that was never released, two locks taken in "
        "opposite order, a flag that a finished thread forgot to set.",
        R"(__device__ int lock = 0;
__global__ void never_released() {
  while (atomicCAS(&lock, 0, 1) != 0) {}   // the first thread gets it
  // no atomicExch(&lock, 0): all others spin for ever
})",
        "The guide promises that a thread which can make a step will make one in the end; it cannot promise that the "
        "step helps.",
        "The kernel never ends.",
        "Release every lock on every path, take several locks in one order, and see that the thread which sets a flag "
        "can run at the same time as the one which waits."},
    RuleText{
        "out-of-bounds", "error",
        "An access reaches outside the object it was made for, judged to the byte that was asked for from cudaMalloc or "
        "declared in the source, in any memory space.",
        R"(__global__ void off_by_one(int* data, int n) {
  int i = threadIdx.x;
  if (i <= n) data[i] = 0;                 // data has n elements
})",
        "C++: an access outside the bounds of an object has no defined behaviour.",
        "Allocations are padded, so a small overrun often hits nothing, or another allocation; a large one ends the "
        "kernel with cudaErrorIllegalAddress, and every later call fails.",
        "Check the index against the number of elements, not of threads, and look at the size that was allocated."},
    RuleText{
        "misaligned", "error",
        "An address is no multiple of the size of the access.",
        R"(__global__ void cast(char* bytes) {
  *reinterpret_cast<double*>(bytes + 4) = 0;
})",
        "PTX ISA, ld and st: the address must be a multiple of the access size; for vectors, of the whole vector.",
        "The kernel ends with cudaErrorMisalignedAddress.",
        "Align the buffer and the offset to the type, or copy with memcpy."},
    RuleText{
        "null-pointer", "error",
        "An access through a pointer that is null, or null plus a small offset.",
        R"(int* data = nullptr;                       // cudaMalloc was forgotten, or failed
kernel<<<1, 32>>>(data);)",
        "C++: a null pointer points to no object.",
        "The kernel ends with cudaErrorIllegalAddress.",
        "Look at the result of every cudaMalloc, and at the order of the kernel's arguments."},
    RuleText{
        "use-after-free", "error",
        "An access to device memory that was freed.",
        R"(cudaFree(data);
kernel<<<1, 32>>>(data);)",
        "The memory belongs to nobody after cudaFree.",
        "Often the old values are still there, until another allocation takes the place.",
        "Free after the last kernel that uses the memory has ended."},
    RuleText{
        "host-pointer", "error",
        "A kernel uses a pointer to ordinary host memory: from new, malloc, a std::vector or the stack.",
        R"(std::vector<int> values(256);
kernel<<<1, 256>>>(values.data());)",
        "Device code may use memory from cudaMalloc, cudaMallocManaged, mapped or registered host memory and device "
        "variables. Plain host memory only where the system supports pageable access.",
        "On most systems the kernel ends with cudaErrorIllegalAddress. Where pageable access is supported it works, and "
        "is slow.",
        "Allocate with cudaMalloc and copy with cudaMemcpy, or allocate with cudaMallocManaged."},
    RuleText{
        "assert-failed", "error",
        "A device assert() does not hold. The kernel ended there.",
        R"(__global__ void kernel(int n) { assert(threadIdx.x < n); }
kernel<<<1, 64>>>(32);)",
        "The programming guide: a failed assert stops the kernel, and every later call returns cudaErrorAssert.",
        "The same; the message goes to stderr.",
        "Find out why the condition does not hold for the thread that is named."},
    RuleText{
        "trap", "error",
        "A thread executed a trap instruction. The kernel ended there.",
        R"(if (index >= size) __trap();)",
        "PTX: trap aborts the kernel and raises an interrupt to the host.",
        "The kernel ends with cudaErrorLaunchFailure, and the context is lost.",
        "See which condition leads to __trap(), or to code that the compiler knows to be unreachable."},
    RuleText{
        "stack-overflow", "error",
        "The calls of a thread are nested too deep for its stack in local memory.",
        R"(__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
kernel<<<1, 1>>>(10000000);)",
        "The stack of a thread has the size cudaLimitStackSize, 1,024 bytes unless the program asks for more.",
        "The kernel ends with an error, or other data of the thread is overwritten.",
        "Bound the recursion, or turn it into a loop."},
    RuleText{
        "api-error", "warning",
        "A call of the CUDA runtime, or a kernel launch, failed, and the program went on without looking at the result.",
        R"(kernel<<<1, 2048>>>(data);                // too many threads: nothing runs
cudaMemcpy(out, data, bytes, cudaMemcpyDeviceToHost);)",
        "The CUDA Runtime API reports errors through return values, and those of launches through cudaGetLastError().",
        "The same: the call does nothing, and later results are stale or zero.",
        "Check every return value, and cudaGetLastError() after a launch."},
    RuleText{
        "race-shared", "error",
        "Two threads of a block access the same bytes of shared memory, one of them writes, and no barrier, fence pair "
        "or atomic orders the two.",
        R"(tile[threadIdx.x] = data[i];
out[i] = tile[255 - threadIdx.x];          // what another warp writes: no __syncthreads() in between)",
        "PTX ISA, Memory Consistency Model: conflicting operations that are neither ordered by causality nor morally "
        "strong are a data race.",
        "Undefined. The reader sees the old or the new value, depending on which warp came first.",
        "Put __syncthreads() between the two, and another one before the array is overwritten in the next pass of a "
        "loop. Lanes of one warp need __syncwarp(): shuffles and votes order no memory."},
    RuleText{
        "race-global", "error",
        "Two threads access the same bytes of global memory, one of them writes, and nothing orders the two.",
        R"(++*counter;                               // a load, an add and a store: updates are lost)",
        "As race-shared. Between blocks only release and acquire order anything: a fence and a strong write on one "
        "side, a strong read and a fence on the other; or the end of the kernel.",
        "Undefined. Often right on a small input, and wrong once more blocks run at a time.",
        "Use an atomic for counters. To pass data, write it, then __threadfence(), then set the flag with an atomic; "
        "the reader polls the flag with an atomic or volatile read, then __threadfence(), then reads."},
    RuleText{
        "race-scope", "error",
        "Atomic accesses meet whose scope leaves out the other thread.",
        R"(atomicAdd_block(counter, 1);              // by several blocks: atomic among the threads of one)",
        "PTX ISA: two strong operations are morally strong only if each one's scope includes the other thread.",
        "A device may carry out block-scope atomics in a cache of its own: updates are lost.",
        "Use the form without suffix (device) or _system (several devices, the host)."},
    RuleText{
        "race-same-value", "warning",
        "Several threads write the same value to one place, unordered and not atomically.",
        R"(if (data[i] == wanted) *found = 1;        // by every thread that finds it)",
        "A data race by the letter of the PTX ISA, which makes no exception for equal values.",
        "Works on every device so far. Compilers may assume that it does not happen.",
        "Let one thread write, or use atomicExch or cuda::atomic_ref with memory_order_relaxed."},
    RuleText{
        "warp-synchronous", "error",
        "Lanes of one warp pass values through volatile (or relaxed) memory with no warp barrier in between, as if they "
        "ran in step.",
        R"(part[t] += part[t + 16];                  // volatile, lanes 0-31, no __syncwarp()
part[t] += part[t + 8];)",
        "The guide, Independent Thread Scheduling: since Volta code must not rely on the lanes of a warp to run in step.",
        "Works as long as the compiler keeps the lanes together, and breaks with the next one.",
        "Put __syncwarp() between each read and the next write, or use __shfl_down_sync."},
    RuleText{
        "missing-acquire", "warning",
        "A thread saw a flag by a relaxed or volatile read and then read the data that it guards, with no fence in "
        "between on the reading side.",
        R"(while (*(volatile int*)flag == 0) {}
out = *data;                               // __threadfence() is missing before this line)",
        "PTX ISA: a release pattern synchronises with an acquire pattern. A strong read becomes one with a fence behind it.",
        "Reads may be made early, or come from a stale line of the L1 cache.",
        "Put __threadfence() behind the loop, or read the flag with memory_order_acquire."},
    RuleText{
        "not-modelled", "note; the verdict is `incomplete`",
        "Something was asked for that tollgate does not simulate: an instruction, or a call of the runtime. What "
        "depends on it says nothing about the program.",
        R"(wmma::mma_sync(c, a, b, c);               // matrix instructions are outside the model)",
        "Nothing is wrong with the program.",
        "It runs.",
        "Check the rest with --kernel, or give the code a path without that feature. `tollgate isa` lists what is "
        "supported."},
};

} // namespace

std::span<const RuleText> rule_texts() { return texts; }

const RuleText* find_rule(std::string_view name) {
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const RuleText& text) { return text.rule == name; });
  return found == texts.end() ? nullptr : &*found;
}

} // namespace tollgate::cli
