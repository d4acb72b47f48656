// Prints sizes, offsets and values of the runtime's binary interface; compiled once with the toolkit's headers and once
// with ours.
#ifdef TOLLGATE_LAYOUT
#include "cudart/cudart_types.h"
#else
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstdio>

#define SIZE(type) std::printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) std::printf(#type "." #field " %zu\n", offsetof(type, field))
#define VALUE(name) std::printf(#name " %d\n", static_cast<int>(name))

static void structures() {
  SIZE(dim3);
  SIZE(cudaExtent);
  SIZE(cudaPos);
  SIZE(cudaMemLocation);
  SIZE(cudaChannelFormatDesc);
  SIZE(cudaPitchedPtr);
  FIELD(cudaPitchedPtr, ysize);
  SIZE(cudaMemcpy3DParms);
  FIELD(cudaMemcpy3DParms, dstPtr);
  FIELD(cudaMemcpy3DParms, extent);
  FIELD(cudaMemcpy3DParms, kind);
  SIZE(cudaMemcpy3DPeerParms);
  FIELD(cudaMemcpy3DPeerParms, dstArray);
  FIELD(cudaMemcpy3DPeerParms, extent);
  SIZE(cudaPointerAttributes);
  FIELD(cudaPointerAttributes, device);
  FIELD(cudaPointerAttributes, devicePointer);
  FIELD(cudaPointerAttributes, hostPointer);
  SIZE(cudaFuncAttributes);
  FIELD(cudaFuncAttributes, localSizeBytes);
  FIELD(cudaFuncAttributes, ptxVersion);
  FIELD(cudaFuncAttributes, maxDynamicSharedSizeBytes);
  FIELD(cudaFuncAttributes, nonPortableClusterSizeAllowed);
  SIZE(cudaLaunchAttribute);
  FIELD(cudaLaunchAttribute, val);
  SIZE(cudaLaunchConfig_t);
  FIELD(cudaLaunchConfig_t, dynamicSmemBytes);
  FIELD(cudaLaunchConfig_t, numAttrs);
}

static void properties() {
  SIZE(cudaDeviceProp);
  FIELD(cudaDeviceProp, uuid);
  FIELD(cudaDeviceProp, totalGlobalMem);
  FIELD(cudaDeviceProp, sharedMemPerBlock);
  FIELD(cudaDeviceProp, warpSize);
  FIELD(cudaDeviceProp, maxThreadsPerBlock);
  FIELD(cudaDeviceProp, maxGridSize);
  FIELD(cudaDeviceProp, totalConstMem);
  FIELD(cudaDeviceProp, major);
  FIELD(cudaDeviceProp, multiProcessorCount);
  FIELD(cudaDeviceProp, canMapHostMemory);
  FIELD(cudaDeviceProp, maxTexture2DLayered);
  FIELD(cudaDeviceProp, maxSurfaceCubemapLayered);
  FIELD(cudaDeviceProp, surfaceAlignment);
  FIELD(cudaDeviceProp, concurrentKernels);
  FIELD(cudaDeviceProp, unifiedAddressing);
  FIELD(cudaDeviceProp, l2CacheSize);
  FIELD(cudaDeviceProp, maxThreadsPerMultiProcessor);
  FIELD(cudaDeviceProp, sharedMemPerMultiprocessor);
  FIELD(cudaDeviceProp, managedMemory);
  FIELD(cudaDeviceProp, concurrentManagedAccess);
  FIELD(cudaDeviceProp, cooperativeLaunch);
  FIELD(cudaDeviceProp, sharedMemPerBlockOptin);
  FIELD(cudaDeviceProp, maxBlocksPerMultiProcessor);
  FIELD(cudaDeviceProp, reservedSharedMemPerBlock);
  FIELD(cudaDeviceProp, memoryPoolsSupported);
  FIELD(cudaDeviceProp, clusterLaunch);
  FIELD(cudaDeviceProp, hostNumaId);
  FIELD(cudaDeviceProp, reserved);
}

static void values() {
  VALUE(cudaMemcpyDefault);
  VALUE(cudaMemoryTypeManaged);
  VALUE(cudaLimitPersistingL2CacheSize);
  VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize);
  VALUE(cudaFuncAttributeClusterSchedulingPolicyPreference);
  VALUE(cudaLaunchAttributeCooperative);
  VALUE(cudaLaunchAttributeClusterDimension);
  VALUE(cudaEventDisableTiming);
  VALUE(cudaStreamNonBlocking);
  VALUE(cudaHostAllocMapped);
  VALUE(cudaMemAttachGlobal);
  VALUE(cudaMemPoolAttrReleaseThreshold);
  VALUE(cudaDevAttrMaxBlocksPerMultiprocessor);
  VALUE(cudaDevAttrClusterLaunch);
  VALUE(cudaErrorInvalidResourceHandle);
  VALUE(cudaErrorCooperativeLaunchTooLarge);
  VALUE(cudaErrorNotSupported);
  VALUE(cudaErrorUnknown);
}

int main() {
  structures();
  properties();
  values();
  return 0;
}
