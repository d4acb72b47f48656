// Functions that exist so that programs link and load: each says so once and returns cudaErrorNotSupported.
#include "cudart/runtime.h"

#define TG_FUNCTION(area, type, name, parameters)
#define TG_PER_THREAD(area, name, parameters, call)
#define TG_UNSUPPORTED(area, name)                                                                                     \
  cudaError_t name() { return ::tollgate::cudart::unsupported(TG_HERE); }
#include "cudart/api.def"
