/// \defgroup cuda_runtime cuda_runtime.h
/// What a .cu file needs from CUDA's headers, for compiling with clang where there is no CUDA toolkit: keywords, vector
/// types, the runtime calls that ordinary programs make, and device functions on top of clang's NVPTX built-ins.
/// `tollgate run FILE.cu` includes it by itself. With a toolkit this file is not used.
#pragma once

#include "device_functions.h"
#include "runtime_api.h"
