// Allocation, and what is known about a pointer.
#include "cudart/runtime.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace tollgate;
using namespace tollgate::cudart;
using engine::MemoryKind;
using engine::PointerInfo;

struct CUmemPoolHandle_st {
  uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};
};

namespace {

CUmemPoolHandle_st default_pool; // allocations come from the engine; a pool is only a handle to set attributes on

std::mutex flags_mutex;
std::map<const void*, unsigned>& host_flags() { // of cudaHostAlloc and cudaHostRegister
  static auto* flags = new std::map<const void*, unsigned>;
  return *flags;
}

void remember_flags(const void* host, unsigned flags) {
  const std::lock_guard lock(flags_mutex);
  host_flags()[host] = flags;
}

void forget_flags(const void* host) {
  const std::lock_guard lock(flags_mutex);
  host_flags().erase(host);
}

// Zero bytes give a null pointer, as on the real device.
cudaError_t allocate(Runtime& runtime, void** pointer, size_t bytes, const void* caller) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const uint64_t address = runtime.engine.allocate(bytes, MemoryKind::Device, host_site(caller));
  if (address == 0) return cudaErrorMemoryAllocation;
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t allocate_host(Runtime& runtime, void** pointer, size_t bytes, unsigned flags, const void* caller) {
  if (pointer == nullptr || flags > 7) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const uint64_t address = runtime.engine.allocate(bytes, MemoryKind::PinnedHost, host_site(caller));
  if (address == 0) return cudaErrorMemoryAllocation;
  *pointer = runtime.engine.pointer_info(reinterpret_cast<const void*>(address)).host;
  if (*pointer == nullptr) *pointer = reinterpret_cast<void*>(address);
  remember_flags(*pointer, flags);
  return cudaSuccess;
}

bool starts_allocation(const PointerInfo& info) { return info.device != 0 && info.device == info.base; }

size_t padded_pitch(size_t width) { return (width + 511) / 512 * 512; }

} // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) { return allocate(runtime, pointer, bytes, site.caller); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    if (pitch == nullptr || width > std::numeric_limits<size_t>::max() - 512) return cudaErrorInvalidValue;
    *pitch = padded_pitch(width);
    if (height != 0 && *pitch > std::numeric_limits<size_t>::max() / height) return cudaErrorMemoryAllocation;
    return allocate(runtime, pointer, *pitch * height, site.caller);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    if (pitched == nullptr || extent.width > std::numeric_limits<uint32_t>::max()) return cudaErrorInvalidValue;
    const size_t pitch = padded_pitch(extent.width);
    size_t bytes = 0;
    if (__builtin_mul_overflow(pitch, extent.height, &bytes) || __builtin_mul_overflow(bytes, extent.depth, &bytes)) {
      return cudaErrorMemoryAllocation;
    }
    *pitched = {nullptr, pitch, extent.width, extent.height};
    return allocate(runtime, &pitched->ptr, bytes, site.caller);
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    const uint64_t address = runtime.engine.allocate(bytes, MemoryKind::Managed, host_site(site.caller));
    *pointer = reinterpret_cast<void*>(address);
    return address != 0 ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

// cudaFree waits for the device: kernels that use the memory may still run.
cudaError_t cudaFree(void* pointer) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (pointer == nullptr) return cudaSuccess;
    const PointerInfo info = runtime.engine.pointer_info(pointer);
    const bool ours = info.kind == PointerInfo::Kind::Device || info.kind == PointerInfo::Kind::Managed;
    if (!ours || !starts_allocation(info)) return cudaErrorInvalidValue;
    runtime.streams.synchronize_all();
    return runtime.engine.release(info.base) ? runtime.sticky_error() : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) { return allocate_host(runtime, pointer, bytes, flags, site.caller); });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) { return allocate_host(runtime, pointer, bytes, 0, site.caller); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (pointer == nullptr) return cudaSuccess;
    const PointerInfo info = runtime.engine.pointer_info(pointer);
    if (info.kind != PointerInfo::Kind::PinnedHost || !starts_allocation(info)) return cudaErrorInvalidValue;
    runtime.streams.synchronize_all();
    forget_flags(pointer);
    return runtime.engine.release(info.base) ? runtime.sticky_error() : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (pointer == nullptr || bytes == 0 || flags > 15) return cudaErrorInvalidValue;
    const PointerInfo::Kind kind = runtime.engine.pointer_info(pointer).kind;
    if (kind == PointerInfo::Kind::Device) return cudaErrorInvalidValue;
    if (kind != PointerInfo::Kind::Unregistered) return cudaErrorHostMemoryAlreadyRegistered;
    if (runtime.engine.map_host(pointer, bytes) == 0) return cudaErrorMemoryAllocation;
    remember_flags(pointer, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    runtime.streams.synchronize_all();
    if (!runtime.engine.unmap_host(pointer)) return cudaErrorHostMemoryNotRegistered;
    forget_flags(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (device == nullptr || host == nullptr || flags != 0) return cudaErrorInvalidValue;
    const PointerInfo info = runtime.engine.pointer_info(host);
    if (info.kind != PointerInfo::Kind::PinnedHost) return cudaErrorInvalidValue;
    *device = reinterpret_cast<void*>(info.device);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (flags == nullptr || runtime.engine.pointer_info(host).kind != PointerInfo::Kind::PinnedHost) {
      return cudaErrorInvalidValue;
    }
    const std::lock_guard lock(flags_mutex);
    const auto it = host_flags().find(host);
    *flags =
        (it != host_flags().end() ? it->second : 0) | cudaHostAllocMapped; // always mapped under unified addressing
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return call(TG_HERE, [&](Runtime& runtime) {
    uint64_t available = 0, total = 0;
    runtime.engine.memory_usage(available, total);
    if (free_bytes != nullptr) *free_bytes = available;
    if (total_bytes != nullptr) *total_bytes = total;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (attributes == nullptr || pointer == nullptr) return cudaErrorInvalidValue;
    const PointerInfo info = runtime.engine.pointer_info(pointer);
    *attributes = {};
    attributes->devicePointer = reinterpret_cast<void*>(info.device);
    attributes->hostPointer = info.host;
    switch (info.kind) {
    case PointerInfo::Kind::Unregistered:
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2; // what the real library says for memory it does not know
      attributes->devicePointer = nullptr;
      attributes->hostPointer = const_cast<void*>(pointer);
      break;
    case PointerInfo::Kind::Device:
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
      break;
    case PointerInfo::Kind::Managed: attributes->type = cudaMemoryTypeManaged; break;
    case PointerInfo::Kind::PinnedHost: attributes->type = cudaMemoryTypeHost; break;
    }
    return cudaSuccess;
  });
}

// --- stream-ordered allocation ---------------------------------------------------------------------------------------

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  const ApiSite site = TG_HERE;
  return call(site, [&](Runtime& runtime) {
    engine::StreamId id = 0;
    if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
    return allocate(runtime, pointer, bytes, site.caller);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    engine::StreamId id = 0;
    if (!runtime.resolve(stream, id)) return cudaErrorInvalidResourceHandle;
    if (pointer == nullptr) return cudaSuccess;
    const PointerInfo info = runtime.engine.pointer_info(pointer);
    if (info.kind != PointerInfo::Kind::Device || !starts_allocation(info)) return cudaErrorInvalidValue;
    runtime.streams.submit(id, engine::Lane::Copy, [&engine = runtime.engine, base = info.base] {
      engine.release(base);
      return engine::LaunchResult{};
    });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call(TG_HERE, [&](Runtime&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = &default_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call(TG_HERE, [&](Runtime&) {
    if (device != 0) return cudaErrorInvalidDevice;
    return pool != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const void* properties) {
  return call(TG_HERE, [&](Runtime&) {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *pool = new CUmemPoolHandle_st;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call(TG_HERE, [&](Runtime&) {
    if (pool == nullptr || pool == &default_pool) return cudaErrorInvalidValue;
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return call(TG_HERE, [&](Runtime&) { return pool != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call(TG_HERE, [&](Runtime&) {
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->reuse[attribute - 1] = *static_cast<int*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: pool->release_threshold = *static_cast<uint64_t*>(value); return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return *static_cast<uint64_t*>(value) == 0 ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    uint64_t available = 0, total = 0;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool->reuse[attribute - 1];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *static_cast<uint64_t*>(value) = pool->release_threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh:
      runtime.engine.memory_usage(available, total);
      *static_cast<uint64_t*>(value) = total - available;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const void*, size_t) {
  return call(TG_HERE, [&](Runtime&) { return pool != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}

// --- hints about where managed memory should live: there is one memory

namespace {
cudaError_t managed_hint(const ApiSite& site, const void* pointer, size_t bytes) {
  return call(site, [&](Runtime& runtime) {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const PointerInfo info = runtime.engine.pointer_info(pointer);
    return info.kind == PointerInfo::Kind::Managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}
} // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation, unsigned, cudaStream_t) {
  return managed_hint(TG_HERE, pointer, bytes);
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, int, cudaMemLocation) {
  return managed_hint(TG_HERE, pointer, bytes);
}

// The names of CUDA 12.2 and later for the same.
cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, cudaMemLocation, unsigned, cudaStream_t) {
  return managed_hint(TG_HERE, pointer, bytes);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, size_t bytes, int, cudaMemLocation) {
  return managed_hint(TG_HERE, pointer, bytes);
}
