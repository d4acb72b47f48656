// Declarations of everything this library exports, from api.def. A definition that differs from its row does not
// compile.
#pragma once

#include "cudart/cudart_types.h"

#define TG_EXPORT extern "C" __attribute__((visibility("default")))

#define TG_FUNCTION(area, type, name, parameters) TG_EXPORT type name parameters;
#define TG_PER_THREAD(area, name, parameters, call) TG_EXPORT cudaError_t name parameters;
#define TG_UNSUPPORTED(area, name) TG_EXPORT cudaError_t name();
#include "cudart/api.def"
#undef TG_FUNCTION
#undef TG_PER_THREAD
#undef TG_UNSUPPORTED
