// Launches by name, kernel attributes and occupancy.
#include "cudart/device_model.h"
#include "cudart/launch.h"

#include <algorithm>

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

// Runs `body` with the resolved kernel, which `function` names by host stub or by handle.
template <typename Body> cudaError_t with_kernel(const ApiSite& site, const void* function, Body&& body) {
  return call(site, [&](Runtime& runtime) {
    CUkern_st* kernel = Modules::get().find_kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidResourceHandle; // as CUDA 13 does
    if (const cudaError_t error = Modules::get().resolve(*kernel); error != cudaSuccess) return error;
    return body(runtime, *kernel);
  });
}

void apply(const cudaLaunchAttribute& attribute, LaunchShape& shape) {
  if (attribute.id == cudaLaunchAttributeCooperative) shape.cooperative = attribute.val.cooperative != 0;
  if (attribute.id == cudaLaunchAttributeClusterDimension) {
    shape.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    shape.has_cluster = shape.cluster.x != 0 || shape.cluster.y != 0 || shape.cluster.z != 0; // all 0: none (measured)
  }
}

LaunchShape shape_of(const cudaLaunchConfig_t& config) {
  LaunchShape shape{config.gridDim, config.blockDim, {}, config.dynamicSmemBytes, false};
  for (unsigned i = 0; i < config.numAttrs; ++i) apply(config.attrs[i], shape);
  return shape;
}

bool is_valid(const cudaLaunchConfig_t* config) {
  return config != nullptr && (config->attrs != nullptr || config->numAttrs == 0);
}

cudaError_t set_attribute(CUkern_st& kernel, cudaFuncAttribute attribute, int value) {
  const auto& device = device_model();
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize: {
    const auto statics = static_cast<int64_t>(the_engine().info(kernel.kernel).static_shared_bytes);
    if (value < 0 || value + statics > device.shared_optin) return cudaErrorInvalidValue;
    kernel.max_dynamic_shared = static_cast<uint64_t>(value);
    return cudaSuccess;
  }
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100) return cudaErrorInvalidValue;
    kernel.carveout = value;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    if (value < 0) return cudaErrorInvalidValue;
    if (const uint32_t compiled = the_engine()
                                      .info(kernel.kernel)
                                      .cluster[static_cast<size_t>(attribute - cudaFuncAttributeRequiredClusterWidth)];
        compiled != 0)
      return static_cast<uint32_t>(value) == compiled ? cudaSuccess : cudaErrorNotPermitted;
    kernel.required_cluster[static_cast<size_t>(attribute - cudaFuncAttributeRequiredClusterWidth)] = value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed: kernel.non_portable_cluster = value != 0; return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

} // namespace

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                                        cudaStream_t stream) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    return launch(runtime, Modules::get().find_kernel(function), {grid, block, {}, shared, true}, args, stream,
                  site.caller);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** args) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    if (!is_valid(config)) return cudaErrorInvalidValue;
    return launch(runtime, Modules::get().find_kernel(function), shape_of(*config), args, config->stream, site.caller);
  });
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function, void** args) {
  if (config == nullptr) return cudaLaunchKernelExC(config, function, args);
  cudaLaunchConfig_t own = *config;
  own.stream = per_thread(own.stream);
  return cudaLaunchKernelExC(&own, function, args);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return with_kernel(TG_HERE, function, [&](Runtime&, CUkern_st& found) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    *kernel = &found;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* kernel, const void* function) {
  return cudaGetKernel(kernel, function);
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(TG_HERE, function, [&](Runtime&, CUkern_st& kernel) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    const auto& params = runtime.engine.info(kernel.kernel).params;
    if (index >= params.size() || offset == nullptr) return cudaErrorInvalidValue;
    *offset = params[index].offset;
    if (size != nullptr) *size = params[index].size;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const engine::KernelInfo& info = runtime.engine.info(kernel.kernel);
    const auto& device = device_model();
    *attributes = {};
    attributes->sharedSizeBytes = info.static_shared_bytes;
    attributes->constSizeBytes = info.const_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->maxThreadsPerBlock = std::min(static_cast<int>(info.max_threads), device.max_threads);
    attributes->numRegs = static_cast<int>(info.registers);
    attributes->ptxVersion = static_cast<int>(info.target_sm);
    attributes->binaryVersion = device.major * 10 + device.minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(kernel));
    attributes->preferredShmemCarveout = kernel.carveout;
    const auto required = [&](size_t i) {
      return info.cluster[0] != 0 ? static_cast<int>(info.cluster[i]) : kernel.required_cluster[i];
    };
    attributes->requiredClusterWidth = required(0);
    attributes->requiredClusterHeight = required(1);
    attributes->requiredClusterDepth = required(2);
    attributes->clusterDimMustBeSet = info.needs_cluster ? 1 : 0;
    attributes->nonPortableClusterSizeAllowed = kernel.non_portable_cluster ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(TG_HERE, function,
                     [&](Runtime&, CUkern_st& kernel) { return set_attribute(kernel, attribute, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
  return with_kernel(TG_HERE, kernel, [&](Runtime&, CUkern_st& found) {
    return device == 0 ? set_attribute(found, attribute, value) : cudaErrorInvalidDevice;
  });
}

// Hints about a cache that the model does not have.
cudaError_t cudaFuncSetCacheConfig(const void* function, int) {
  return with_kernel(TG_HERE, function, [](Runtime&, CUkern_st&) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, int) {
  return with_kernel(TG_HERE, function, [](Runtime&, CUkern_st&) { return cudaSuccess; });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
    *blocks = static_cast<int>(
        runtime.engine.max_active_blocks(kernel.kernel, static_cast<unsigned>(block_size), dynamic_shared));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   size_t dynamic_shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared);
}

// The device has few multiprocessors, and any cluster that a chip takes is to run here too: at least one fits.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    if (clusters == nullptr || !is_valid(config)) return cudaErrorInvalidValue;
    LaunchShape shape = shape_of(*config);
    const engine::KernelInfo& info = runtime.engine.info(kernel.kernel);
    if (!cluster_allowed(shape, kernel, info)) return cudaErrorInvalidClusterSize;
    *clusters = 0;
    if (!has_cluster(shape, kernel, info)) return cudaSuccess;
    const dim3 cluster = cluster_of(shape, kernel, info);
    const uint64_t blocks = uint64_t{cluster.x} * cluster.y * cluster.z;
    const uint64_t active = runtime.engine.max_active_blocks(
        kernel.kernel, shape.block.x * shape.block.y * shape.block.z, shape.dynamic_shared);
    const uint64_t all = active * static_cast<unsigned>(device_model().multiprocessors);
    *clusters = active == 0 ? 0 : static_cast<int>(std::max<uint64_t>(1, all / blocks));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function, const cudaLaunchConfig_t* config) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    if (blocks == nullptr || !is_valid(config)) return cudaErrorInvalidValue;
    if (device_model().major < 9) return cudaErrorNotSupported;
    if (!cluster_allowed(shape_of(*config), kernel, runtime.engine.info(kernel.kernel)))
      return cudaErrorInvalidClusterSize;
    *blocks = kernel.non_portable_cluster ? 16 : 8; // whatever .maxclusterrank says (measured)
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int block_size) {
  return with_kernel(TG_HERE, function, [&](Runtime& runtime, CUkern_st& kernel) {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
    const auto& device = device_model();
    const uint64_t share = static_cast<uint64_t>(device.shared_per_multiprocessor / blocks);
    const uint64_t taken =
        runtime.engine.info(kernel.kernel).static_shared_bytes + static_cast<uint64_t>(device.reserved_shared);
    *bytes = std::min<uint64_t>(share > taken ? share - taken : 0, static_cast<uint64_t>(device.shared_optin));
    return cudaSuccess;
  });
}
