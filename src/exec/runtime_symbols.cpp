#include "exec/runtime_symbols.h"

#include "rtlib/rtlib.h"

namespace tollgate::exec {

Symbols runtime_symbols() {
  Symbols out;
  add_memory_symbols(out);
  add_atomic_symbols(out);
  add_warp_symbols(out);
  add_mbarrier_symbols(out);
  add_bulk_symbols(out);
  add_stop_symbols(out);
  add_system_symbols(out);
  add_access_symbols(out);
  add_undefined_symbols(out);
  for (const rtlib::Function& f : rtlib::functions()) {
    out.push_back({"tgr_" + std::string(f.name), f.scalar});
    out.push_back({"tgv_" + std::string(f.name), f.vector});
  }
  return out;
}

} // namespace tollgate::exec
