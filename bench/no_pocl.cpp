// Built where OpenCL was not found.
#include "problem.h"

namespace bench {

std::vector<Entry> pocl_entries() { return {}; }

} // namespace bench
