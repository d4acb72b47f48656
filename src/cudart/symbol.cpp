// __device__, __constant__ and __managed__ variables as the host names them.
#include "cudart/copy.h"
#include "cudart/modules.h"

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

// The address of [offset, offset + bytes) inside the variable.
cudaError_t locate(const void* symbol, size_t bytes, size_t offset, void*& address) {
  engine::VariableInfo info;
  if (const cudaError_t error = Modules::get().find_variable(symbol, info); error != cudaSuccess) return error;
  if (offset > info.size || bytes > info.size - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<void*>(info.address + offset);
  return cudaSuccess;
}

cudaError_t copy_to(Runtime& runtime, const void* symbol, const void* from, size_t bytes, size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream, Waiting waiting) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  void* address = nullptr;
  if (const cudaError_t error = locate(symbol, bytes, offset, address); error != cudaSuccess) return error;
  return copy_bytes(runtime, address, from, bytes, kind, stream, waiting);
}

cudaError_t copy_from(Runtime& runtime, void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                      cudaStream_t stream, Waiting waiting) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  void* address = nullptr;
  if (const cudaError_t error = locate(symbol, bytes, offset, address); error != cudaSuccess) return error;
  return copy_bytes(runtime, to, address, bytes, kind, stream, waiting);
}

} // namespace

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return call(TG_HERE, [&](Runtime&) {
    if (address == nullptr) return cudaErrorInvalidValue;
    return locate(symbol, 0, 0, *address);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return call(TG_HERE, [&](Runtime&) {
    engine::VariableInfo info;
    if (size == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = Modules::get().find_variable(symbol, info);
    if (error == cudaSuccess) *size = info.size;
    return error;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_to(runtime, symbol, from, bytes, offset, kind, nullptr, Waiting::Blocking);
  });
}

cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_to(runtime, symbol, from, bytes, offset, kind, per_thread_stream(), Waiting::Blocking);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_to(runtime, symbol, from, bytes, offset, kind, stream, Waiting::Async);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_from(runtime, to, symbol, bytes, offset, kind, nullptr, Waiting::Blocking);
  });
}

cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_from(runtime, to, symbol, bytes, offset, kind, per_thread_stream(), Waiting::Blocking);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return call(TG_HERE, [&](Runtime& runtime) {
    return copy_from(runtime, to, symbol, bytes, offset, kind, stream, Waiting::Async);
  });
}
