// Host versions of the kernels in runtime_program.cu.
#include "fake_engine.h"

#include <chrono>
#include <cstring>
#include <thread>

namespace tollgate::fake {
namespace {

template <typename T> T param(const engine::LaunchRequest& request, size_t offset) {
  T value{};
  std::memcpy(&value, request.params.data() + offset, sizeof(T));
  return value;
}

uint64_t threads(const engine::LaunchRequest& request) { return uint64_t{request.grid[0]} * request.block[0]; }

} // namespace

engine::LaunchResult run_fake_kernel(engine::Engine& engine, const std::string& name,
                                     const engine::LaunchRequest& request) {
  using engine::Status;
  if (name.find("add_value") != std::string::npos) { // (int* data, int n, int value)
    const auto address = param<uint64_t>(request, 0);
    const int n = param<int>(request, 8), value = param<int>(request, 12);
    if (n == 0) return {};
    auto* data = static_cast<int*>(engine.host_view(address, static_cast<uint64_t>(n) * 4));
    if (data == nullptr) return {Status::IllegalAddress, "unmapped address"};
    for (uint64_t i = 0; i < threads(request) && i < static_cast<uint64_t>(n); ++i) data[i] += value;
  } else if (name.find("wait_for_flag") != std::string::npos) { // (volatile int* flag)
    auto* flag = static_cast<volatile int*>(engine.host_view(param<uint64_t>(request, 0), 4));
    if (flag == nullptr) return {Status::IllegalAddress, "unmapped address"};
    while (*flag == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  } else if (name.find("fail") != std::string::npos) {
    return {Status::IllegalAddress, "as asked"};
  }
  return {};
}

} // namespace tollgate::fake
