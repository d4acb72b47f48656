#include "base/demangle.h"

#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <string_view>

namespace tollgate {

namespace {

// nvcc keeps what is local to a file apart by a namespace made of the file's name and a hash, which nobody wrote.
void drop_internal_namespace(std::string& text) {
  constexpr std::string_view prefix = "_INTERNAL_";
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (text.compare(end, 2, "::") != 0) return;
    text.erase(at, end + 2 - at);
  }
}

} // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name; // a variable called "g" is no __float128
  // nvcc numbers what an inlined function has of its own: _ZZ1kPiE1x_$_0
  const std::string symbol = name.substr(0, name.rfind("_$_"));
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  free(text);
  drop_internal_namespace(out);
  return out;
}

std::string demangle_variable(const std::string& name) {
  const std::string text = demangle(name);
  const size_t function = text.rfind(")::");
  return function == std::string::npos ? text : text.substr(function + 3);
}

} // namespace tollgate
