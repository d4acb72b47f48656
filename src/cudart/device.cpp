// The one device: properties, attributes, limits, selection.
#include "cudart/device_model.h"
#include "cudart/runtime.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

// Fields that both layouts of the property structure have.
template <typename Prop> void fill_common(Prop& prop) {
  const DeviceModel& m = device_model();
  uint64_t available = 0, total = 0;
  the_engine().memory_usage(available, total);
  std::memset(static_cast<void*>(&prop), 0, sizeof prop);
  std::snprintf(prop.name, sizeof prop.name, "%s", m.name.c_str());
  std::memcpy(prop.uuid.bytes, "tollgate-cpu-dev", 16);
  prop.totalGlobalMem = total;
  prop.sharedMemPerBlock = static_cast<size_t>(m.shared_per_block);
  prop.sharedMemPerBlockOptin = static_cast<size_t>(m.shared_optin);
  prop.sharedMemPerMultiprocessor = static_cast<size_t>(m.shared_per_multiprocessor);
  prop.reservedSharedMemPerBlock = static_cast<size_t>(m.reserved_shared);
  prop.regsPerBlock = prop.regsPerMultiprocessor = 65536;
  prop.warpSize = 32;
  prop.memPitch = 0x7fffffff;
  prop.maxThreadsPerBlock = m.max_threads;
  prop.maxThreadsDim[0] = prop.maxThreadsDim[1] = 1024;
  prop.maxThreadsDim[2] = 64;
  prop.maxGridSize[0] = 0x7fffffff;
  prop.maxGridSize[1] = prop.maxGridSize[2] = 65535;
  prop.totalConstMem = 65536;
  prop.major = m.major;
  prop.minor = m.minor;
  prop.textureAlignment = 512;
  prop.texturePitchAlignment = 32;
  prop.surfaceAlignment = 512;
  prop.multiProcessorCount = m.multiprocessors;
  prop.maxThreadsPerMultiProcessor = m.threads_per_multiprocessor;
  prop.maxBlocksPerMultiProcessor = m.blocks_per_multiprocessor;
  prop.memoryBusWidth = m.bus_width;
  prop.l2CacheSize = m.l2_bytes;
  prop.canMapHostMemory = prop.concurrentKernels = prop.asyncEngineCount = prop.unifiedAddressing = 1;
  prop.streamPrioritiesSupported = prop.globalL1CacheSupported = prop.localL1CacheSupported = 1;
  prop.managedMemory = prop.concurrentManagedAccess = prop.computePreemptionSupported = 1;
  prop.cooperativeLaunch = prop.hostRegisterSupported = prop.memoryPoolsSupported = 1;
  prop.clusterLaunch = m.major >= 9 ? 1 : 0;
}

cudaError_t attribute_value(cudaDeviceAttr attribute, int& value) {
  const DeviceModel& m = device_model();
  switch (attribute) {
#define TG_ATTRIBUTE(number, name, answer)                                                                             \
  case cudaDevAttr##name: value = answer; return cudaSuccess;
#include "cudart/attribute.def"
#undef TG_ATTRIBUTE
  }
  return cudaErrorInvalidValue;
}

struct LimitTable {
  std::mutex mutex;
  std::array<size_t, 7> values{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
};

LimitTable& limit_table() {
  static auto* table = new LimitTable;
  return *table;
}

unsigned device_flags = 0;

cudaError_t only_device(const ApiSite& site, int device) {
  return call(site, [&](Runtime&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

} // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return call(TG_HERE, [&](Runtime&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call(TG_HERE, [&](Runtime&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) { return only_device(TG_HERE, device); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return only_device(TG_HERE, device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call(TG_HERE, [&](Runtime&) {
    if (devices == nullptr || count < 1) return cudaErrorInvalidValue;
    return std::all_of(devices, devices + count, [](int d) { return d == 0; }) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return call(TG_HERE, [&](Runtime&) {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return call(TG_HERE, [&](Runtime&) {
    if (prop == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    fill_common(*prop);
    prop->deviceNumaId = prop->hostNumaId = -1;
    return cudaSuccess;
  });
}

// Under this name programs built with CUDA 12 pass that version's structure.
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp12* prop, int device) {
  return call(TG_HERE, [&](Runtime&) {
    if (prop == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    fill_common(*prop);
    prop->clockRate = device_model().clock_khz;
    prop->memoryClockRate = device_model().memory_clock_khz;
    prop->deviceOverlap = 1;
    prop->singleToDoublePrecisionPerfRatio = 2;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call(TG_HERE, [&](Runtime&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    return attribute_value(attribute, *value);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call(TG_HERE, [](Runtime& runtime) {
    runtime.streams.synchronize_all();
    runtime.engine.flush_printf();
    return runtime.sticky_error();
  });
}

// Memory stays allocated: programs that reset at their end do not use it any more, and checkers keep what they know.
cudaError_t cudaDeviceReset() {
  return call(
      TG_HERE,
      [](Runtime& runtime) {
        runtime.reset();
        runtime.engine.flush_printf();
        return cudaSuccess;
      },
      Sticky::Ignore);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call(TG_HERE, [&](Runtime&) {
    if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return cudaErrorUnsupportedLimit;
    const std::lock_guard lock(limit_table().mutex);
    limit_table().values[static_cast<size_t>(limit)] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call(TG_HERE, [&](Runtime&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return cudaErrorUnsupportedLimit;
    const std::lock_guard lock(limit_table().mutex);
    *value = limit_table().values[static_cast<size_t>(limit)];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call(TG_HERE, [&](Runtime&) {
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call(TG_HERE, [&](Runtime&) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = device_flags | 8; // cudaDeviceMapHost: mapping is always on
    return cudaSuccess;
  });
}

// Hints about caches and shared memory banks, which the model does not have or fixes.
cudaError_t cudaDeviceSetCacheConfig(int) { return only_device(TG_HERE, 0); }
cudaError_t cudaDeviceSetSharedMemConfig(int) { return only_device(TG_HERE, 0); }
cudaError_t cudaCtxResetPersistingL2Cache() { return only_device(TG_HERE, 0); }

cudaError_t cudaDeviceGetCacheConfig(int* config) {
  return call(TG_HERE, [&](Runtime&) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(int* config) {
  return call(TG_HERE, [&](Runtime&) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = 1; // banks of four bytes
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call(TG_HERE, [&](Runtime&) {
    if (text == nullptr || length < 13) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<size_t>(length), "0000:00:00.0");
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call(TG_HERE, [&](Runtime&) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    if (std::strcmp(text, "0000:00:00.0") != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call(TG_HERE, [&](Runtime&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
    *can = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return call(TG_HERE, [](Runtime&) { return cudaErrorPeerAccessUnsupported; });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return call(TG_HERE, [](Runtime&) { return cudaErrorPeerAccessNotEnabled; });
}

cudaError_t cudaProfilerStart() { return only_device(TG_HERE, 0); }
cudaError_t cudaProfilerStop() { return only_device(TG_HERE, 0); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call(TG_HERE, [&](Runtime&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = 13000;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }
