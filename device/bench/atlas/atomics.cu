// Atomic operations: throughput by operation, type, space, scope, use of the result, addresses, lanes and warps; and
// the latency of one after the other.
#include "atlas.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace atlas {
namespace {

using u32 = unsigned;
using u64 = unsigned long long;
enum class Scope { block, gpu, system };
const char* const scope_names[] = {"block", "gpu", "system"};

// The word of round i is ((base + i * step) & mask) * stride, the base being made of the thread as `by` says.
enum By { by_nothing, by_warp, by_block, by_thread, by_hash };
struct Addresses {
  std::string name;
  By by;
  u32 step, mask, stride;
};

#define OPERATION(Name, text, function)                                                                                \
  struct Name {                                                                                                        \
    static constexpr const char* name = text;                                                                          \
    template <Scope scope, class T> __device__ static T apply(T* p, T v) {                                             \
      if constexpr (scope == Scope::block)                                                                             \
        return function##_block(p, v);                                                                                 \
      else if constexpr (scope == Scope::system)                                                                       \
        return function##_system(p, v);                                                                                \
      else                                                                                                             \
        return function(p, v);                                                                                         \
    }                                                                                                                  \
  }
OPERATION(Min, "min", atomicMin);
OPERATION(Max, "max", atomicMax);
OPERATION(Exchange, "exch", atomicExch);
OPERATION(And, "and", atomicAnd);
OPERATION(Or, "or", atomicOr);
OPERATION(Xor, "xor", atomicXor);
struct Add {
  static constexpr const char* name = "add";
  template <Scope scope, class T> __device__ static T apply(T* p, T v) {
    if constexpr (scope == Scope::gpu || sizeof(T) == 2 || std::is_same_v<T, __half2> ||
                  std::is_same_v<T, __nv_bfloat162>) {
      return atomicAdd(p, v);
    } else if constexpr (scope == Scope::block) {
      return atomicAdd_block(p, v);
    } else {
      return atomicAdd_system(p, v);
    }
  }
};
// One attempt that succeeds now and then: what a loop around it costs comes on top.
struct CompareAndSwap {
  static constexpr const char* name = "cas";
  template <Scope scope, class T> __device__ static T apply(T* p, T v) {
    if constexpr (scope == Scope::block)
      return atomicCAS_block(p, T(0), v);
    else if constexpr (scope == Scope::system)
      return atomicCAS_system(p, T(0), v);
    else
      return atomicCAS(p, T(0), v);
  }
};

template <class T> __device__ T one() { return T(1); }
template <> __device__ __half one() { return __float2half(1.0f); }
template <> __device__ __half2 one() { return __float2half2_rn(1.0f); }
template <> __device__ __nv_bfloat16 one() { return __float2bfloat16(1.0f); }
template <> __device__ __nv_bfloat162 one() { return __float2bfloat162_rn(1.0f); }
template <class T> __device__ u32 bits_of(T value) {
  u32 bits = 0;
  memcpy(&bits, &value, sizeof(T) < 4 ? sizeof(T) : 4);
  return bits;
}

constexpr size_t shared_bytes = 32 * 1024;

template <class Op, class T, bool shared, bool used, Scope scope>
__global__ void __launch_bounds__(1024)
    throughput(T* global, By by, u32 step, u32 mask, u32 stride, int lanes, int rounds, u32* sink) {
  __shared__ alignas(16) unsigned char bytes[shared ? shared_bytes : 16];
  if (shared) {
    for (u32 i = threadIdx.x; i < shared_bytes / 4; i += blockDim.x) reinterpret_cast<u32*>(bytes)[i] = 0;
    __syncthreads();
  }
  const u32 thread = shared ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  u32 base = 0;
  if (by == by_warp) base = thread / 32;
  if (by == by_block) base = blockIdx.x;
  if (by == by_thread) base = thread;
  if (by == by_hash) base = (thread * 2654435761u) ^ (thread * 40503u >> 3);
  u32 seen = 0;
  if (static_cast<int>(threadIdx.x % 32) < lanes) {
    for (int i = 0; i < rounds; ++i) {
      const u32 at = ((base + i * step) & mask) * stride;
      T* p = shared ? reinterpret_cast<T*>(bytes) + at % (shared_bytes / sizeof(T)) : global + at;
      if constexpr (used) {
        seen ^= bits_of(Op::template apply<scope>(p, one<T>()));
      } else {
        Op::template apply<scope>(p, one<T>());
      }
    }
  }
  if (seen == 0x12345679) *sink = seen;
}

template <class Op, class T, bool shared> __global__ void latency(T* global, int rounds, long long* cycles, u32* sink) {
  __shared__ alignas(16) unsigned char bytes[256];
  for (int i = 0; i < 64; ++i) reinterpret_cast<u32*>(bytes)[i] = 0;
  T* p = shared ? reinterpret_cast<T*>(bytes) : global;
  u32 seen = 0;
  long long start = 0;
  for (int i = 0; i < rounds + 4; ++i) {
    if (i == 4) start = clock64(); // after the first ones have warmed up
    seen = bits_of(Op::template apply<Scope::gpu>(p + (seen == 0xfefefefe), one<T>()));
  }
  *cycles = clock64() - start;
  *sink = seen;
}

constexpr u32 whole = 0xffffffff;

struct Memory {
  void* global = nullptr;
  u32* sink = nullptr;
  long long* cycles = nullptr;
} memory;

struct Cell {
  Addresses addresses;
  int lanes = 32, warps = 32, blocks = 264;
};

template <class Op, class T, bool shared, bool used, Scope scope = Scope::gpu>
void run(const char* type, const Cell& cell) {
  T* table = static_cast<T*>(memory.global);
  const Addresses& a = cell.addresses;
  const auto launch = [&](int rounds) {
    throughput<Op, T, shared, used, scope>
        <<<cell.blocks, cell.warps * 32>>>(table, a.by, a.step, a.mask, a.stride, cell.lanes, rounds, memory.sink);
  };
  launch(4);
  const double few = milliseconds([&] { launch(16); }, 1);
  const int rounds = static_cast<int>(std::clamp(16 * 1.0 / std::max(few, 0.002), 16.0, 4096.0));
  const double time = milliseconds([&] { launch(rounds); });
  const double operations = static_cast<double>(cell.blocks) * cell.warps * cell.lanes * rounds;
  add(Row("atomic throughput")
          .text("op", Op::name)
          .text("type", type)
          .text("space", shared                                                           ? "shared"
                         : a.mask != whole && sizeof(T) * (a.mask + u64{1}) > (60u << 20) ? "global beyond L2"
                                                                                          : "global")
          .text("scope", scope_names[static_cast<int>(scope)])
          .text("result", used ? "used" : "unused")
          .text("addresses", a.name)
          .number("lanes", cell.lanes)
          .number("warps", cell.warps)
          .number("blocks", cell.blocks)
          .number("gops", operations / time * 1e-6));
}

template <class Op, class T, Scope scope = Scope::gpu> void everywhere(const char* type, const Cell& cell) {
  run<Op, T, true, false, scope>(type, cell);
  run<Op, T, true, true, scope>(type, cell);
  run<Op, T, false, false, scope>(type, cell);
  run<Op, T, false, true, scope>(type, cell);
}

template <class Op, class T> void run_latency(const char* type) {
  for (const bool shared : {true, false}) {
    std::vector<long long> cycles(5);
    for (long long& c : cycles) {
      if (shared) {
        latency<Op, T, true><<<1, 1>>>(static_cast<T*>(memory.global), 200, memory.cycles, memory.sink);
      } else {
        latency<Op, T, false><<<1, 1>>>(static_cast<T*>(memory.global), 200, memory.cycles, memory.sink);
      }
      MUST(cudaMemcpy(&c, memory.cycles, sizeof c, cudaMemcpyDeviceToHost));
    }
    std::sort(cycles.begin(), cycles.end());
    add(Row("atomic latency")
            .text("op", Op::name)
            .text("type", type)
            .text("space", shared ? "shared" : "global")
            .number("cycles", cycles[2] / 200.0));
  }
}

Addresses one_address() { return {"one", by_nothing, 0, 0, 1}; }
Addresses own_address() { return {"own, neighbouring", by_thread, 0, whole, 1}; }
Addresses random_of(u32 log2) {
  return {"random of 2^" + std::to_string(log2), by_hash, 2654435761u, (1u << log2) - 1, 1};
}

template <class Op, class T> void operation(const char* type) {
  everywhere<Op, T>(type, {one_address()});
  everywhere<Op, T>(type, {own_address()});
  run_latency<Op, T>(type);
}

// Type x addresses, the heart of the atlas.
template <class T> void type_by_addresses(const char* type) {
  everywhere<Add, T>(type, {{"one a warp", by_warp, 0, whole, 32}});
  everywhere<Add, T>(type, {{"one a block", by_block, 0, whole, 32}});
  for (u32 k = 0; k <= 20; ++k) {
    if (k <= 12) {
      run<Add, T, true, false>(type, {random_of(k)});
      run<Add, T, true, true>(type, {random_of(k)});
    }
    run<Add, T, false, false>(type, {random_of(k)});
    run<Add, T, false, true>(type, {random_of(k)});
  }
  for (u32 stride = 2; stride <= 64; stride *= 2) {
    everywhere<Add, T>(type, {{"stride " + std::to_string(stride), by_thread, 0, whole, stride}});
  }
  for (const u32 k : {22, 24, 26}) {
    run<Add, T, false, false>(type, {random_of(k)});
    run<Add, T, false, true>(type, {random_of(k)});
  }
}

template <class T> void lanes_and_warps(const char* type) {
  for (int lanes = 1; lanes <= 32; lanes *= 2) {
    for (const Addresses& a : {one_address(), own_address(), random_of(10)}) everywhere<Add, T>(type, {a, lanes});
  }
  for (int warps = 1; warps <= 32; warps *= 2) {
    for (const int blocks : {1, 132, 264}) {
      for (const Addresses& a : {one_address(), own_address()}) everywhere<Add, T>(type, {a, 32, warps, blocks});
    }
  }
}

template <class Op, class T> void scopes(const char* type) {
  for (const Addresses& a : {one_address(), own_address(), random_of(10)}) {
    everywhere<Op, T, Scope::block>(type, {a});
    everywhere<Op, T, Scope::gpu>(type, {a});
    everywhere<Op, T, Scope::system>(type, {a});
  }
}

template <class T> void all_operations(const char* type) {
  operation<Min, T>(type);
  operation<Max, T>(type);
  operation<Exchange, T>(type);
  operation<CompareAndSwap, T>(type);
  operation<And, T>(type);
  operation<Or, T>(type);
  operation<Xor, T>(type);
}

template <class T> void additions(const char* type) {
  operation<Add, T>(type);
  type_by_addresses<T>(type);
}

} // namespace

void measure_atomics() {
  const size_t bytes = size_t{8} << 26;
  MUST(cudaMalloc(&memory.global, bytes));
  MUST(cudaMalloc(&memory.sink, 64));
  MUST(cudaMalloc(&memory.cycles, 64));
  MUST(cudaMemset(memory.global, 0, bytes));
  additions<int>("s32");
  additions<u32>("u32");
  additions<u64>("u64");
  additions<float>("f32");
  additions<double>("f64");
  additions<__half>("f16");
  additions<__half2>("f16x2");
  additions<__nv_bfloat16>("bf16");
  additions<__nv_bfloat162>("bf16x2");
  all_operations<u32>("u32");
  all_operations<u64>("u64");
  operation<Min, int>("s32");
  operation<Max, int>("s32");
  operation<Exchange, float>("f32");
  scopes<Add, u32>("u32");
  scopes<Add, u64>("u64");
  scopes<Add, float>("f32");
  scopes<CompareAndSwap, u32>("u32");
  lanes_and_warps<u32>("u32");
  lanes_and_warps<float>("f32");
  MUST(cudaFree(memory.global));
}

} // namespace atlas
