#include "cudart/launch.h"

#include "base/demangle.h"
#include "cudart/device_model.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace tollgate::cudart {
namespace {

constexpr uint64_t portable_cluster = 8, largest_cluster = 16; // blocks

uint64_t volume(const dim3& d) { return uint64_t{d.x} * d.y * d.z; }

std::string text(const dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

// Why a launch is refused.
struct Refusal {
  cudaError_t error = cudaSuccess;
  std::string reason;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
Refusal check_sizes(const LaunchShape& shape) {
  const dim3 &grid = shape.grid, &block = shape.block;
  if (volume(grid) == 0) return {shape.bad_size, "the grid " + text(grid) + " is empty"};
  if (volume(block) == 0) return {shape.bad_size, "the block " + text(block) + " is empty"};
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    return {shape.bad_size, "the grid " + text(grid) + " exceeds (2147483647, 65535, 65535) blocks"};
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64) {
    return {shape.bad_size, "the block " + text(block) + " exceeds (1024, 1024, 64) threads"};
  }
  if (volume(block) > static_cast<unsigned>(device_model().max_threads)) {
    return {shape.bad_size, "the block " + text(block) + " has " + std::to_string(volume(block)) +
                                " threads; the limit is " + std::to_string(device_model().max_threads)};
  }
  return {};
}

Refusal check_kernel_limits(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  if (volume(shape.block) > info.max_threads) {
    return {cudaErrorInvalidValue, "the block has " + std::to_string(volume(shape.block)) +
                                       " threads; the kernel's launch bounds allow " +
                                       std::to_string(info.max_threads)};
  }
  if (const uint64_t limit = dynamic_shared_limit(kernel); shape.dynamic_shared > limit) {
    return {cudaErrorInvalidValue, std::to_string(shape.dynamic_shared) +
                                       " bytes of dynamic shared memory were asked for; " + std::to_string(limit) +
                                       (kernel.max_dynamic_shared == limit
                                            ? " are allowed, as set by cudaFuncSetAttribute"
                                            : " are allowed without cudaFuncAttributeMaxDynamicSharedMemorySize")};
  }
  return {};
}

// The cluster that the kernel itself asks for; zeros if none.
std::array<uint32_t, 3> required_cluster(const CUkern_st& kernel, const engine::KernelInfo& info) {
  if (info.cluster[0] != 0) return info.cluster;
  const auto side = [&](size_t i) { return static_cast<uint32_t>(kernel.required_cluster[i]); };
  if (side(0) == 0) return {};
  return {side(0), std::max(1u, side(1)), std::max(1u, side(2))};
}

// Why the kernel may not have this cluster. Every refusal is cudaErrorInvalidClusterSize, as on an H200.
std::string refused_cluster(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  const auto required = required_cluster(kernel, info);
  const dim3 cluster = cluster_of(shape, kernel, info);
  const uint64_t blocks = volume(cluster);
  if (info.needs_cluster && required[0] == 0 && !shape.has_cluster)
    return "the kernel is to be launched with a cluster (cudaLaunchKernelEx)";
  if (required[0] != 0 && (cluster.x != required[0] || cluster.y != required[1] || cluster.z != required[2]))
    return "the cluster " + text(cluster) + " was asked for; the kernel has " +
           text({required[0], required[1], required[2]}) + " (__cluster_dims__ or cudaFuncSetAttribute)";
  if (blocks == 0) return "the cluster " + text(cluster) + " is empty";
  const std::string has = "the cluster " + text(cluster) + " has " + std::to_string(blocks) + " blocks; the limit is ";
  if (info.max_cluster != 0 && blocks > info.max_cluster)
    return has + std::to_string(info.max_cluster) + ", as the kernel was compiled";
  if (blocks > (kernel.non_portable_cluster ? largest_cluster : portable_cluster))
    return has + "8, or 16 with cudaFuncAttributeNonPortableClusterSizeAllowed";
  return {};
}

Refusal check_cluster(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  const dim3 grid = shape.grid, cluster = cluster_of(shape, kernel, info);
  if (volume(cluster) != 1 && device_model().major < 9)
    return {cudaErrorNotSupported, "thread block clusters need sm_90 (--arch sm_90)"};
  if (std::string reason = refused_cluster(shape, kernel, info); !reason.empty())
    return {cudaErrorInvalidClusterSize, std::move(reason)};
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return {cudaErrorInvalidClusterSize, "the cluster " + text(cluster) + " does not divide the grid " + text(grid)};
  return {};
}

// All blocks of a cooperative grid run at the same time (grid.sync()), so they must all fit.
Refusal check_cooperative(const engine::Engine& engine, const LaunchShape& shape, const CUkern_st& kernel) {
  if (!shape.cooperative) return {};
  const uint64_t per_multiprocessor =
      engine.max_active_blocks(kernel.kernel, static_cast<unsigned>(volume(shape.block)), shape.dynamic_shared);
  const uint64_t fits = per_multiprocessor * static_cast<unsigned>(device_model().multiprocessors);
  if (volume(shape.grid) <= fits) return {};
  return {cudaErrorCooperativeLaunchTooLarge, "a cooperative grid of " + std::to_string(volume(shape.grid)) +
                                                  " blocks; " + std::to_string(fits) + " fit on the device together"};
}

cudaError_t check(engine::Engine& engine, const LaunchShape& shape, const CUkern_st& kernel, const void* caller) {
  const engine::KernelInfo& info = engine.info(kernel.kernel);
  Refusal refusal = check_sizes(shape);
  if (refusal.error == cudaSuccess) refusal = check_kernel_limits(shape, kernel, info);
  if (refusal.error == cudaSuccess) refusal = check_cluster(shape, kernel, info);
  if (refusal.error == cudaSuccess) refusal = check_cooperative(engine, shape, kernel);
  if (refusal.error == cudaSuccess) return cudaSuccess;
  observe::Finding finding;
  finding.rule = "bad-launch";
  // A program that merely runs gets the error and may be made for it: autotuners ask for more than there is.
  if (engine.config().mode == engine::Config::Mode::Run) finding.severity = observe::Severity::Note;
  finding.message = "the kernel was not launched: " + refusal.reason;
  finding.help = "choose a configuration within the limits of the device and of the kernel";
  finding.kernel = demangle(kernel.name);
  finding.at.role = "launched here";
  set_host_place(finding.at, user_caller(caller));
  engine.report(std::move(finding));
  return refusal.error;
}

// Threads of this process.
unsigned host_threads() {
  std::error_code failed;
  unsigned count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/task", failed), end; !failed && it != end;
       it.increment(failed))
    ++count;
  return failed ? ~0u : count;
}

cudaError_t pack(const engine::KernelInfo& info, void** args, std::vector<uint8_t>& bytes) {
  bytes.resize(info.param_bytes);
  if (info.params.empty()) return cudaSuccess;
  if (args == nullptr) return cudaErrorInvalidValue;
  for (size_t i = 0; i < info.params.size(); ++i) {
    const engine::ParamInfo& param = info.params[i];
    if (args[i] == nullptr || param.offset + uint64_t{param.size} > bytes.size()) return cudaErrorInvalidValue;
    std::memcpy(bytes.data() + param.offset, args[i], param.size);
  }
  return cudaSuccess;
}

// What the report does not say by itself: the launch could not be carried out at all.
engine::LaunchResult run(engine::Engine& engine, const engine::LaunchRequest& request, const std::string& name) {
  using engine::Status;
  engine::LaunchResult result = engine.run(request);
  switch (result.status) {
  case Status::InvalidConfiguration:
  case Status::InvalidImage:
  case Status::NoKernelImage:
  case Status::OutOfMemory:
  case Status::LaunchFailure:
    print_message((result.message.starts_with("kernel ") ? "" : "kernel " + name + ": ") + result.message);
    break;
  default: break;
  }
  return result;
}

} // namespace

uint64_t dynamic_shared_limit(const CUkern_st& kernel) {
  const uint64_t statics = the_engine().info(kernel.kernel).static_shared_bytes;
  const auto base = static_cast<uint64_t>(device_model().shared_per_block);
  const uint64_t usual = statics < base ? base - statics : 0;
  return std::max(usual, kernel.max_dynamic_shared);
}

bool has_cluster(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  return shape.has_cluster || required_cluster(kernel, info)[0] != 0;
}

dim3 cluster_of(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  if (shape.has_cluster) return shape.cluster;
  const auto required = required_cluster(kernel, info);
  return required[0] == 0 ? dim3{1, 1, 1} : dim3{required[0], required[1], required[2]};
}

bool cluster_allowed(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  return refused_cluster(shape, kernel, info).empty();
}

cudaError_t launch(Runtime& runtime, CUkern_st* kernel, const LaunchShape& shape, void** args, cudaStream_t stream,
                   const void* caller) {
  if (kernel == nullptr) return cudaErrorInvalidResourceHandle;
  engine::StreamId id = 0;
  if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = Modules::get().resolve(*kernel); error != cudaSuccess) return error;
  const engine::KernelInfo& info = runtime.engine.info(kernel->kernel);
  if (const cudaError_t error = check(runtime.engine, shape, *kernel, caller); error != cudaSuccess) return error;
  engine::LaunchRequest request;
  if (const cudaError_t error = pack(info, args, request.params); error != cudaSuccess) return error;
  request.block = {shape.block.x, shape.block.y, shape.block.z};
  if (const cudaError_t error = Modules::get().prepare(*kernel, request.block); error != cudaSuccess) return error;
  request.kernel = kernel->kernel;
  request.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  const dim3 cluster = cluster_of(shape, *kernel, info);
  request.cluster = {cluster.x, cluster.y, cluster.z};
  request.explicit_cluster = has_cluster(shape, *kernel, info);
  request.dynamic_shared_bytes = shape.dynamic_shared;
  request.cooperative = shape.cooperative;
  request.stream = id;
  request.host_site = host_offset(caller);
  request.alone_since = [&runtime]() -> uint64_t {
    const bool alone = runtime.streams.only_a_kernel_runs() &&
                       host_threads() <= runtime.streams.worker_threads() + runtime.engine.worker_threads() +
                                             engine::StreamSet::blocked_callers();
    return alone ? engine::StreamSet::waits_begun() : 0;
  };
  runtime.streams.submit(id, engine::Lane::Kernel,
                         [&engine = runtime.engine, request = std::move(request), name = kernel->name] {
                           return run(engine, request, name);
                         });
  return cudaSuccess;
}

} // namespace tollgate::cudart
