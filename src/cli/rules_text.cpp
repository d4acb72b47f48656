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
        "The guide: __syncthreads() waits for all non-exited threads of the block. So this is legal since compute "
        "capability 7.0.",
        "Works since Volta. Earlier devices counted warps and could hang or release the barrier early. It breaks as "
        "soon "
        "as code behind the barrier expects work from all threads: a tile that was not filled, a reduction tree.",
        "Guard the work instead of returning: `if (i < n) { ... }` before and after, with the barrier outside."},
    RuleText{
        "barrier-mismatch", "error, or warning where whole warps met at different calls",
        "Threads that were released together had not made the same barrier call. Inside one warp that is an error; "
        "whole warps at different __syncthreads() are a warning. Thread counts that differ, or bar.red mixed with "
        "another kind on one barrier, are errors. Several calls on a named barrier are legal. At a cluster's barrier: "
        "a "
        "thread that arrives twice without waiting, or waits without having arrived.",
        "PTX ISA, bar/barrier: for .aligned forms all threads of a warp execute the same instruction; all threads that "
        "take part in one barrier give the same count, and bar.red does not mix with sync or arrive.",
        "The hardware counts arrivals and does not compare calls, so the two halves release each other although they "
        "stand at different points of the program. Inside one warp the result is undefined.",
        "Make one call that everybody reaches. Where warps have different roles, use named barriers with counts."},
    RuleText{
        "barrier-count", "error; a note for an arrival that nobody waited for",
        "A barrier asks for a number of threads that cannot come: no multiple of the warp size, or more than the block "
        "has; or a warp comes again before its arrival was waited for. An arrival that is left over when the block "
        "ends "
        "is a note.",
        "PTX ISA, bar/barrier: the thread count is a multiple of the warp size; bar.arrive needs one.",
        "An illegal count traps or hangs, depending on the device.",
        "Round the count up to whole warps, and let exactly that many threads come."},
    RuleText{
        "deadlock", "error",
        "No thread of the block, of its cluster, or of a cooperative grid, can go on: each waits for a thread that "
        "will "
        "not come.",
        "A barrier with a count is complete when that many threads have arrived, and not before.",
        "The kernel hangs until the driver or you end it; a display driver ends it after some seconds.",
        "The report says who waits where and for how many. Bring all of them to one barrier, or correct the count."},
    RuleText{
        "livelock", "error",
        "Threads spin on a value that nobody who is left can change: a lock that was never released, two locks taken "
        "in "
        "opposite order, a flag that a finished thread forgot to set.",
        "The guide promises that a thread which can make a step will make one in the end; it cannot promise that the "
        "step helps.",
        "The kernel never ends.",
        "Release every lock on every path, take several locks in one order, and see that the thread which sets a flag "
        "can run at the same time as the one which waits."},
    RuleText{
        "needs-co-residency", "warning",
        "A block waited for another block that a real device might not have started: the grid has more blocks than the "
        "device holds at a time, and nothing says which come first.",
        "The guide: blocks run in any order, in parallel or in series. Only a cooperative launch promises that all "
        "blocks "
        "of a grid run together.",
        "Hangs once the grid is larger than the device, or another kernel takes part of it; works until then.",
        "Launch with cudaLaunchCooperativeKernel, wait only for blocks that took a ticket before (atomicAdd on a "
        "counter), "
        "or end the kernel and start another."},
    RuleText{
        "lockstep-hazard", "note, off by default",
        "Lanes of one warp wait for each other in a loop, such as a spin lock. Where lanes run in step, the lane that "
        "could end the wait never gets its turn.",
        "The guide, Independent Thread Scheduling: since Volta each thread makes progress by itself; earlier devices "
        "promise it for warps only.",
        "Works since Volta, and hangs before. Ask for this rule with --enable lockstep-hazard.",
        "Take and release the lock within one trip of the loop, or let one lane act for its warp."},
    RuleText{
        "warp-mask", "error",
        "A warp operation with a mask and the lanes that made it do not fit: a lane called that is not in its own "
        "mask, "
        "the masks of two calls overlap without being equal, or a lane that is named never comes.",
        "The guide, Warp Vote and Warp Shuffle Functions: each calling thread has its own bit set in the mask, and all "
        "threads named in it that have not exited call the same function with the same mask. Otherwise the result is "
        "undefined.",
        "Waits for the missing lanes and hangs, or returns values of a part of the lanes, depending on the operation "
        "and on "
        "how the compiler kept the lanes together.",
        "Compute the mask before the branch with __ballot_sync, or make the call outside it. __activemask() only tells "
        "who "
        "happens to be there: it is no such mask."},
    RuleText{
        "warp-inactive-source", "error", "A shuffle read from a lane that took no part in it, and the value was used.",
        "The guide, Warp Shuffle Functions: the value is undefined if the source lane is inactive.",
        "Often some old register of that lane; it changes with the compiler.",
        "Let the source lanes take part, or use only results whose source is inside: limit the offset or the width."},
    RuleText{
        "mbarrier-misuse", "error",
        "An mbarrier object was used against its rules: before its initialisation, initialised twice, waited for in "
        "the "
        "wrong phase, or with more arrivals than it counts.",
        "PTX ISA, mbarrier: every operation but mbarrier.init needs a valid object; the count of pending arrivals lies "
        "between 1 and 2^20-1; a wait names the present phase or the one before it.",
        "Undefined: traps, hangs, or lets threads through too early.",
        "Let one thread initialise the object for exactly those that arrive, then __syncthreads() or a fence before "
        "its "
        "first use; invalidate it before its memory is used for something else."},
    RuleText{
        "out-of-bounds", "error",
        "An access reaches outside the object it was made for, judged to the byte that was asked for from cudaMalloc "
        "or "
        "declared in the source, in any memory space.",
        "C++: an access outside the bounds of an object has no defined behaviour.",
        "Allocations are padded, so a small overrun often hits nothing, or another allocation; a large one ends the "
        "kernel with cudaErrorIllegalAddress, and every later call fails.",
        "Check the index against the number of elements, not of threads, and look at the size that was allocated."},
    RuleText{
        "misaligned", "error", "An address is no multiple of the size of the access.",
        "PTX ISA, ld and st: the address must be a multiple of the access size; for vectors, of the whole vector.",
        "The kernel ends with cudaErrorMisalignedAddress.",
        "Align the buffer and the offset to the type, or copy with memcpy. At -O0 nvcc may copy a float4 member by "
        "member: look at the optimised program as well (--as-built)."},
    RuleText{"null-pointer", "error", "An access through a pointer that is null, or null plus a small offset.",
             "C++: a null pointer points to no object.", "The kernel ends with cudaErrorIllegalAddress.",
             "Look at the result of every cudaMalloc, and at the order of the kernel's arguments."},
    RuleText{"use-after-free", "error",
             "An access to device memory that was freed, or to the shared memory of a block of the cluster that has "
             "left. Also "
             "free() in a kernel of what its malloc() did not return, or has taken back already.",
             "The memory belongs to nobody after cudaFree; shared memory lives as long as its block.",
             "Often the old values are still there, until another allocation takes the place.",
             "Free after the last kernel that uses the memory has ended."},
    RuleText{
        "host-pointer", "error",
        "A kernel uses a pointer to ordinary host memory: from new, malloc, a std::vector or the stack.",
        "Device code may use memory from cudaMalloc, cudaMallocManaged, mapped or registered host memory and device "
        "variables. Plain host memory only where the system supports pageable access.",
        "On most systems the kernel ends with cudaErrorIllegalAddress. Where pageable access is supported it works, "
        "and "
        "is slow.",
        "Allocate with cudaMalloc and copy with cudaMemcpy, or allocate with cudaMallocManaged."},
    RuleText{"device-pointer", "error", "The host reads or writes through a pointer to device memory.",
             "Memory of cudaMalloc belongs to the device: the host reaches it through cudaMemcpy and its kind. Only "
             "managed and "
             "mapped memory can be used by both.",
             "The program ends with a segmentation fault, on most systems.",
             "Copy with cudaMemcpy, or allocate with cudaMallocManaged."},
    RuleText{
        "uninitialized", "warning",
        "A value that was never written enters arithmetic, a branch, an address or an atomic, or an atomic updates "
        "memory that was never written. Copies, selects, shuffles and bit operations only pass it on; arithmetic is "
        "reported where its result is stored or decides something.",
        "C++: reading an indeterminate value has no defined behaviour. Neither cudaMalloc nor __shared__ clears "
        "memory.",
        "Whatever the memory held before: often zero at first, and another result on the second run.",
        "Write before reading: cudaMemset after cudaMalloc, a loop and a barrier for shared arrays, initialisers for "
        "variables."},
    RuleText{"device-assert", "error", "A device assert() does not hold. The kernel ended there.",
             "The programming guide: a failed assert stops the kernel, and every later call returns cudaErrorAssert.",
             "The same; the message goes to stderr.",
             "Find out why the condition does not hold for the thread that is named."},
    RuleText{"trap", "error", "A thread executed a trap instruction. The kernel ended there.",
             "PTX: trap aborts the kernel and raises an interrupt to the host.",
             "The kernel ends with cudaErrorLaunchFailure, and the context is lost.",
             "See which condition leads to __trap(), or to code that the compiler knows to be unreachable."},
    RuleText{"stack-overflow", "error", "The calls of a thread are nested too deep for its stack in local memory.",
             "The stack of a thread has the size cudaLimitStackSize, 1,024 bytes unless the program asks for more.",
             "The kernel ends with an error, or other data of the thread is overwritten.",
             "Bound the recursion, or turn it into a loop."},
    RuleText{
        "bad-launch", "error",
        "A kernel was not launched, because its configuration exceeds a limit of the device or of the kernel: threads "
        "of a block, dimensions of the grid, shared memory, blocks of a cooperative grid. The message names the limit.",
        "The guide, Technical Specifications per Compute Capability, has the limits; __launch_bounds__ and "
        "cudaFuncAttributeMaxDynamicSharedMemorySize set those of a kernel. cudaGetLastError() returns "
        "cudaErrorInvalidConfiguration, or cudaErrorInvalidValue where the shared memory is too large.",
        "Nothing runs. The launch itself says nothing: later copies bring back old data.",
        "Keep blocks at 1,024 threads or less and use more of them; ask for shared memory beyond 48 KiB with "
        "cudaFuncSetAttribute, and look at cudaGetLastError() after each launch."},
    RuleText{
        "api-error", "warning",
        "A call of the CUDA runtime, or a kernel launch, failed, and the program went on without looking at the "
        "result.",
        "The CUDA Runtime API reports errors through return values, and those of launches through cudaGetLastError().",
        "The same: the call does nothing, and later results are stale or zero.",
        "Check every return value, and cudaGetLastError() after a launch. A value that is kept or tested counts as "
        "checked, "
        "whatever the program makes of it."},
    RuleText{
        "race-shared", "error",
        "Two threads of a block access the same bytes of shared memory, one of them writes, and no barrier, fence pair "
        "or atomic orders the two.",
        "PTX ISA, Memory Consistency Model: conflicting operations that are neither ordered by causality nor morally "
        "strong are a data race.",
        "Undefined. The reader sees the old or the new value, depending on which warp came first.",
        "Put __syncthreads() between the two, and another one before the array is overwritten in the next pass of a "
        "loop. Lanes of one warp need __syncwarp(): shuffles and votes order no memory."},
    RuleText{
        "race-global", "error",
        "Two threads access the same bytes of global memory, one of them writes, and nothing orders the two.",
        "As race-shared. Between blocks only release and acquire order anything: a fence and a strong write on one "
        "side, a strong read and a fence on the other; or the end of the kernel.",
        "Undefined. Often right on a small input, and wrong once more blocks run at a time.",
        "Use an atomic for counters. To pass data, write it, then __threadfence(), then set the flag with an atomic; "
        "the reader polls the flag with an atomic or volatile read, then __threadfence(), then reads."},
    RuleText{"race-scope", "error", "Atomic accesses meet whose scope leaves out the other thread.",
             "PTX ISA: two strong operations are morally strong only if each one's scope includes the other thread.",
             "A device may carry out block-scope atomics in a cache of its own: updates are lost.",
             "Use the form without suffix (device) or _system (several devices, the host)."},
    RuleText{
        "race-async", "error",
        "Data of an asynchronous copy was used, or its source overwritten, before the copy was waited for; or a bulk "
        "copy "
        "meets what threads wrote with no fence between the proxies.",
        "PTX ISA, Asynchronous Operations: a copy is ordered behind what its thread did before, and before nothing "
        "that "
        "follows. It is complete for the thread that waits with cp.async.wait_group or on the mbarrier, and for others "
        "behind a barrier after that. A barrier by itself waits for no copy. Bulk copies belong to the asynchronous "
        "proxy: "
        "they see ordinary writes behind a fence.proxy.async only.",
        "Old data now and then, the more often the busier the memory is.",
        "__pipeline_wait_prior(0) or the wait on the mbarrier, then __syncthreads(), then read; fence.proxy.async "
        "where "
        "bulk copies read what threads wrote."},
    RuleText{"race-same-value", "warning",
             "Several threads write the same value to one place, unordered and not atomically.",
             "A data race by the letter of the PTX ISA, which makes no exception for equal values.",
             "Works on every device so far. Compilers may assume that it does not happen.",
             "Let one thread write, or use atomicExch or cuda::atomic_ref with memory_order_relaxed."},
    RuleText{
        "race-cas-guess", "note",
        "A plain read races with the updates of others, but its value only reaches a compare-and-swap on the same "
        "address, which fails if the value is out of date.",
        "A data race by the letter of the PTX ISA. The CUDA guide itself prints a double-precision atomicAdd that "
        "begins "
        "like this.",
        "Works on every device so far: an aligned read brings back some value that was there, and the compare-and-swap "
        "corrects a stale one.",
        "Nothing has to change. An atomic or volatile read instead of the plain one silences the note."},
    RuleText{"warp-synchronous", "error",
             "Lanes of one warp pass values through volatile (or relaxed) memory with no warp barrier in between, as "
             "if they "
             "ran in step.",
             "The guide, Independent Thread Scheduling: since Volta code must not rely on the lanes of a warp to run "
             "in step.",
             "Works as long as the compiler keeps the lanes together, and breaks with the next one.",
             "Put __syncwarp() between each read and the next write, or use __shfl_down_sync."},
    RuleText{
        "missing-acquire", "warning",
        "A thread saw a flag by a relaxed or volatile read and then read the data that it guards, with no fence in "
        "between on the reading side.",
        "PTX ISA: a release pattern synchronises with an acquire pattern. A strong read becomes one with a fence "
        "behind it.",
        "Reads may be made early, or come from a stale line of the L1 cache.",
        "Put __threadfence() behind the loop, or read the flag with memory_order_acquire."},
    RuleText{
        "atomic-cas-loop", "note",
        "This atomic is no instruction of the chosen --arch: it is a loop around compare-and-swap. Shared memory has "
        "instructions for 32-bit integers and for exchange; no memory has them for a single half or bfloat16. "
        "`tollgate "
        "isa atom --arch sm_XX` lists what is an instruction where.",
        "PTX ISA, atom and red: each type and operation names the architecture that has it in PTX. The compiler makes "
        "loops of what the device lacks, the headers of the toolkit of what PTX lacks; the list is read from its "
        "machine "
        "code.",
        "Right, and slow where many threads meet: each failed attempt goes to memory and back.",
        "Use a type that has the instruction (float or __half2 in global memory, 32-bit integers in shared memory), or "
        "add "
        "up within the warp or block first."},
    RuleText{"not-modelled", "note; the verdict is `incomplete`",
             "Something was asked for that tollgate does not simulate: an instruction, or a call of the runtime. What "
             "depends on it says nothing about the program.",
             "Nothing is wrong with the program.", "It runs.",
             "Check the rest with --kernel, or give the code a path without that feature. `tollgate isa` lists what is "
             "supported."},
};

} // namespace

std::span<const RuleText> rule_texts() { return texts; }

const RuleExample* find_example(std::string_view rule) {
  const auto* end = rule_examples + rule_example_count;
  const auto* found =
      std::find_if(rule_examples, end, [&](const RuleExample& example) { return example.rule == rule; });
  return found == end ? nullptr : found;
}

const RuleText* find_rule(std::string_view name) {
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const RuleText& text) { return text.rule == name; });
  return found == texts.end() ? nullptr : &*found;
}

} // namespace tollgate::cli
