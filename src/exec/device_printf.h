// printf of kernels. CUDA C++ Programming Guide, "Formatted Output".
#pragma once

#include "exec/memory.h"

#include <cstdint>
#include <string>

namespace tollgate::exec {

// The arguments that a kernel hands to vprintf(format, arguments): device addresses of the format and of a buffer with
// every argument at its natural alignment. Appends the text to `out`. Returns what the kernel's printf returns: the
// number of arguments, -1 for a null format, -2 if the format or an argument cannot be read.
int device_printf(const DeviceMemory& memory, uint64_t format, uint64_t arguments, std::string& out);

} // namespace tollgate::exec
