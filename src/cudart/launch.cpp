#include "cudart/launch.h"

#include "cudart/device_model.h"

#include <algorithm>
#include <cstring>

namespace tollgate::cudart {
namespace {

uint64_t volume(const dim3& d) { return uint64_t{d.x} * d.y * d.z; }

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
cudaError_t check_shape(const LaunchShape& shape, const CUkern_st& kernel, const engine::KernelInfo& info) {
  const dim3 &grid = shape.grid, &block = shape.block, &cluster = shape.cluster;
  const auto& device = device_model();
  if (volume(grid) == 0 || volume(block) == 0 || volume(cluster) == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) return cudaErrorInvalidConfiguration;
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return cudaErrorInvalidConfiguration;
  if (volume(block) > static_cast<unsigned>(device.max_threads)) return cudaErrorInvalidConfiguration;
  if (volume(block) > info.max_threads) return cudaErrorInvalidValue;
  if (shape.dynamic_shared > dynamic_shared_limit(kernel)) return cudaErrorInvalidValue;
  if (volume(cluster) > 1) {
    if (device.major < 9) return cudaErrorNotSupported;
    if (volume(cluster) > 16 || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
      return cudaErrorInvalidClusterSize;
    }
  }
  return cudaSuccess;
}

// All blocks of a cooperative grid run at the same time (grid.sync()), so they must all fit.
cudaError_t check_cooperative(const engine::Engine& engine, const LaunchShape& shape, const CUkern_st& kernel) {
  const uint64_t per_multiprocessor =
      engine.max_active_blocks(kernel.kernel, static_cast<unsigned>(volume(shape.block)), shape.dynamic_shared);
  const uint64_t fits = per_multiprocessor * static_cast<unsigned>(device_model().multiprocessors);
  return volume(shape.grid) > fits ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
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
  case Status::NotSupported:
  case Status::InvalidConfiguration:
  case Status::InvalidImage:
  case Status::NoKernelImage:
  case Status::OutOfMemory:
  case Status::LaunchFailure:
    print_message("kernel " + name + ": " + result.message);
    break;
  default:
    break;
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

cudaError_t launch(Runtime& runtime, CUkern_st* kernel, const LaunchShape& shape, void** args, cudaStream_t stream,
                   const void* caller) {
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  engine::StreamId id = 0;
  if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = Modules::get().resolve(*kernel); error != cudaSuccess) return error;
  const engine::KernelInfo& info = runtime.engine.info(kernel->kernel);
  if (const cudaError_t error = check_shape(shape, *kernel, info); error != cudaSuccess) return error;
  if (shape.cooperative) {
    if (const cudaError_t error = check_cooperative(runtime.engine, shape, *kernel); error != cudaSuccess) return error;
  }
  engine::LaunchRequest request;
  if (const cudaError_t error = pack(info, args, request.params); error != cudaSuccess) return error;
  if (const cudaError_t error = Modules::get().prepare(*kernel); error != cudaSuccess) return error;
  request.kernel = kernel->kernel;
  request.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  request.block = {shape.block.x, shape.block.y, shape.block.z};
  request.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  request.dynamic_shared_bytes = shape.dynamic_shared;
  request.cooperative = shape.cooperative;
  request.stream = id;
  request.host_site = host_site(caller);
  runtime.streams.submit(id, engine::Lane::Kernel,
                         [&engine = runtime.engine, request = std::move(request), name = kernel->name] {
                           return run(engine, request, name);
                         });
  return cudaSuccess;
}

} // namespace tollgate::cudart
