// Copies and fills between host and device. Every pointer is looked up first: a device pointer where a host pointer
// belongs (or the other way round) is cudaErrorInvalidValue, as it would fault if it were used.
#pragma once

#include "cudart/runtime.h"

namespace tollgate::cudart {

// A box of bytes: rows of `width` bytes, `height` rows a slice, `depth` slices.
struct Box {
  size_t width = 0, height = 1, depth = 1;
  [[nodiscard]] bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

// Where a box lies.
struct Place {
  void* pointer = nullptr;
  size_t pitch = 0;       // bytes from row to row
  size_t slice_pitch = 0; // bytes from slice to slice
};

enum class Waiting : uint8_t { Blocking, Async };

cudaError_t copy(Runtime& runtime, const Place& to, const Place& from, const Box& box, int kind, cudaStream_t stream,
                 Waiting waiting);
cudaError_t copy_bytes(Runtime& runtime, void* to, const void* from, size_t bytes, int kind, cudaStream_t stream,
                       Waiting waiting);
cudaError_t fill(Runtime& runtime, const Place& to, int value, const Box& box, cudaStream_t stream);

} // namespace tollgate::cudart
