#include "ptx/verifier.h"

namespace tollgate::ptx {

Result<void> verify(const Module& module) { return {}; }

} // namespace tollgate::ptx
