#include "gpu_runner.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <thread>

namespace tollgate::differential {

using Handle = void*;
using Address = uint64_t;

struct GpuRunner::Driver {
  Handle library = dlopen("libcuda.so.1", RTLD_NOW);

  template <typename... Args> int call(const char* name, Args... args) {
    void* symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) throw std::runtime_error(std::string("no CUDA driver: ") + name);
    return reinterpret_cast<int (*)(Args...)>(symbol)(args...);
  }
  template <typename... Args> void must(const char* name, Args... args) {
    if (int status = call(name, args...); status != 0)
      throw std::runtime_error(std::string(name) + " failed with " + std::to_string(status));
  }
};

namespace {

// Device memory with these bytes.
template <typename Driver> struct Buffer {
  Driver& driver;
  Address address = 0;
  size_t size;

  Buffer(Driver& d, const std::vector<uint8_t>& bytes) : driver(d), size(bytes.size()) {
    driver.must("cuMemAlloc_v2", &address, std::max<size_t>(size, 1));
    driver.must("cuMemcpyHtoD_v2", address, static_cast<const void*>(bytes.data()), size);
  }
  ~Buffer() { driver.call("cuMemFree_v2", address); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::vector<uint8_t> bytes() {
    std::vector<uint8_t> out(size);
    driver.must("cuMemcpyDtoH_v2", static_cast<void*>(out.data()), address, size);
    return out;
  }
};

} // namespace

GpuRunner::GpuRunner(int optimisation) : driver_(std::make_unique<Driver>()), optimisation_(optimisation) {
  Handle context = nullptr;
  driver_->must("cuInit", 0U);
  driver_->must("cuDevicePrimaryCtxRetain", &context, 0);
  driver_->must("cuCtxSetCurrent", context);
}

GpuRunner::~GpuRunner() = default;

void GpuRunner::wait() {
  constexpr int not_ready = 600; // CUDA_ERROR_NOT_READY
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  int status = not_ready;
  while ((status = driver_->call("cuStreamQuery", Handle(nullptr))) == not_ready) {
    if (std::chrono::steady_clock::now() > end) throw Stuck();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (status != 0) throw std::runtime_error("the kernel failed with " + std::to_string(status));
}

Outcome GpuRunner::run(const KernelCase& k) {
  Outcome outcome;
  Handle module = nullptr, kernel = nullptr;
  char log[4000] = "";
  int options[] = {5, 6, 7}; // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), reinterpret_cast<void*>(intptr_t{optimisation_})};
  if (driver_->call("cuModuleLoadDataEx", &module, static_cast<const void*>(k.ptx.c_str()), 3U,
                    static_cast<int*>(options), static_cast<void**>(values)) != 0) {
    outcome.failure = std::string("the driver refuses the PTX: ") + log;
    return outcome;
  }
  try {
    Buffer in(*driver_, input_of(k)), out(*driver_, std::vector<uint8_t>(k.out_bytes)), sums(*driver_, sums_of(k));
    Address middle = in.address + kInputBytes / 2;
    uint32_t n = kParamN;
    void* arguments[] = {&middle, &out.address, &sums.address, &n};
    driver_->must("cuModuleGetFunction", &kernel, module, "k");
    driver_->must("cuLaunchKernel", kernel, k.grid[0], k.grid[1], k.grid[2], k.block[0], k.block[1], k.block[2], 0U,
                  Handle(nullptr), static_cast<void**>(arguments), static_cast<void**>(nullptr));
    wait();
    outcome.out = out.bytes();
    outcome.sums = sums.bytes();
  } catch (const std::runtime_error& problem) {
    outcome.failure = problem.what();
  }
  driver_->call("cuModuleUnload", module);
  return outcome;
}

} // namespace tollgate::differential
