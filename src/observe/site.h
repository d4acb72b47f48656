// Places in the user's program. Generated code carries a SiteId; everything readable is looked up only for a finding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tollgate::observe {

using SiteId = uint32_t; // 0: unknown

struct SourceFrame {
  std::string file; // as the compiler wrote it; empty without line information
  uint32_t line = 0, column = 0;
  std::string function; // demangled where known
};

// One instruction: the stack joins real calls with `inlined_at`, innermost first, and is empty without -lineinfo.
struct Place {
  std::vector<SourceFrame> stack;
  std::string ptx_name; // module name, for programs without line information
  uint32_t ptx_line = 0;
  std::string instruction; // the PTX form, e.g. "bar.sync"
};

class SiteTable {
public:
  virtual ~SiteTable() = default;
  [[nodiscard]] virtual Place place(SiteId site) const = 0;
};

} // namespace tollgate::observe
