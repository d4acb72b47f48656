#include "base/demangle.h"

#include <cstdlib>
#include <cxxabi.h>

namespace tollgate {

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name; // a variable called "g" is no __float128
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  free(text);
  return out;
}

} // namespace tollgate
