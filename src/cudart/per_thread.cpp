// The entry points of programs built with --default-stream per-thread: the same calls, with the thread's own stream
// where the program gives none.
#include "cudart/runtime.h"

namespace tollgate::cudart {
namespace {

// Blocking calls of the _ptds family run in the thread's stream.
[[maybe_unused]] cudaError_t then_wait(cudaError_t error) {
  return error != cudaSuccess ? error : cudaStreamSynchronize(per_thread_stream());
}

} // namespace
} // namespace tollgate::cudart

using namespace tollgate::cudart;

#define TG_FUNCTION(area, type, name, parameters)
#define TG_UNSUPPORTED(area, name)
#define TG_PER_THREAD(area, name, parameters, call)                                                                    \
  cudaError_t name parameters { return call; }
#include "cudart/api.def"
