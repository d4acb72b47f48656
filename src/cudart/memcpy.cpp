// The memcpy and memset family.
#include "cudart/copy.h"

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

// Position and pitch of one side of a 3D copy, in bytes (no array is involved).
Place place_of(const cudaPitchedPtr& pointer, const cudaPos& position) {
  const size_t slice = pointer.pitch * pointer.ysize;
  if (pointer.ptr == nullptr) return {};
  auto* start = static_cast<char*>(pointer.ptr) + position.z * slice + position.y * pointer.pitch + position.x;
  return {start, pointer.pitch, slice};
}

cudaError_t copy_3d(Runtime& runtime, const cudaMemcpy3DParms* parms, cudaStream_t stream, Waiting waiting) {
  if (parms == nullptr) return cudaErrorInvalidValue;
  if (parms->srcArray != nullptr || parms->dstArray != nullptr) return cudaErrorNotSupported;
  const Box box{parms->extent.width, parms->extent.height, parms->extent.depth};
  return copy(runtime, place_of(parms->dstPtr, parms->dstPos), place_of(parms->srcPtr, parms->srcPos), box, parms->kind,
              stream, waiting);
}

cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& peer) {
  return {peer.srcArray, peer.srcPos, peer.srcPtr, peer.dstArray,
          peer.dstPos,   peer.dstPtr, peer.extent, cudaMemcpyDefault};
}

cudaError_t fill_3d(Runtime& runtime, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                    cudaStream_t stream) {
  return fill(runtime, {to.ptr, to.pitch, to.pitch * to.ysize}, value, {extent.width, extent.height, extent.depth},
              stream);
}

bool both_here(int first, int second) { return first == 0 && second == 0; }

} // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(TG_HERE,
              [&](Runtime& runtime) { return copy_bytes(runtime, to, from, bytes, kind, nullptr, Waiting::Blocking); });
}

cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_bytes(runtime, to, from, bytes, kind, per_thread_stream(), Waiting::Blocking);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(TG_HERE,
              [&](Runtime& runtime) { return copy_bytes(runtime, to, from, bytes, kind, stream, Waiting::Async); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy(runtime, {to, to_pitch, 0}, {const_cast<void*>(from), from_pitch, 0}, {width, height, 1}, kind, nullptr,
                Waiting::Blocking);
  });
}

cudaError_t cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy(runtime, {to, to_pitch, 0}, {const_cast<void*>(from), from_pitch, 0}, {width, height, 1}, kind,
                per_thread_stream(), Waiting::Blocking);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy(runtime, {to, to_pitch, 0}, {const_cast<void*>(from), from_pitch, 0}, {width, height, 1}, kind, stream,
                Waiting::Async);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parms) {
  return call(TG_HERE, [&](Runtime& runtime) { return copy_3d(runtime, parms, nullptr, Waiting::Blocking); });
}

cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parms) {
  return call(TG_HERE,
              [&](Runtime& runtime) { return copy_3d(runtime, parms, per_thread_stream(), Waiting::Blocking); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parms, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) { return copy_3d(runtime, parms, stream, Waiting::Async); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (peer == nullptr) return cudaErrorInvalidValue;
    if (!both_here(peer->srcDevice, peer->dstDevice)) return cudaErrorInvalidDevice;
    const cudaMemcpy3DParms parms = without_devices(*peer);
    return copy_3d(runtime, &parms, stream, Waiting::Async);
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* peer) { return cudaMemcpy3DPeerAsync(peer, nullptr); }

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (!both_here(to_device, from_device)) return cudaErrorInvalidDevice;
    return copy_bytes(runtime, to, from, bytes, cudaMemcpyDeviceToDevice, stream, Waiting::Async);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

namespace {

cudaError_t set_bytes(const ApiSite& site, void* to, int value, size_t bytes, cudaStream_t stream) {
  return call(site, [&](Runtime& runtime) { return fill(runtime, {to, bytes, bytes}, value, {bytes, 1, 1}, stream); });
}

cudaError_t set_rows(const ApiSite& site, void* to, size_t pitch, int value, size_t width, size_t height,
                     cudaStream_t stream) {
  return call(site, [&](Runtime& runtime) { return fill(runtime, {to, pitch, 0}, value, {width, height, 1}, stream); });
}

} // namespace

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return set_bytes(TG_HERE, to, value, bytes, stream);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) { return set_bytes(TG_HERE, to, value, bytes, nullptr); }

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return set_rows(TG_HERE, to, pitch, value, width, height, stream);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return set_rows(TG_HERE, to, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) { return fill_3d(runtime, to, value, extent, stream); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return call(TG_HERE, [&](Runtime& runtime) { return fill_3d(runtime, to, value, extent, nullptr); });
}
