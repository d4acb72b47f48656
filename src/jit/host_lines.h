// Source lines of the host program, out of its debug information (DWARF).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tollgate::jit {

struct HostLine {
  std::string file, function; // demangled
  uint32_t line = 0, column = 0;
};

// Not thread-safe. A binary is opened at the first question about it and stays open.
class HostLines {
public:
  HostLines();
  ~HostLines();

  // `address` is one of the file, not of the process. Inlined calls are unfolded, innermost first; empty where the
  // binary says nothing.
  [[nodiscard]] std::vector<HostLine> find(const std::string& binary, uint64_t address);

private:
  struct Symbolizer;
  std::unique_ptr<Symbolizer> symbolizer_;
};

} // namespace tollgate::jit
