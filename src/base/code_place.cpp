#include "base/code_place.h"

#include <cstdio>
#include <dlfcn.h>

namespace tollgate {

std::string code_place(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx",
                static_cast<size_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase)));
  return std::string(info.dli_fname) + offset;
}

} // namespace tollgate
