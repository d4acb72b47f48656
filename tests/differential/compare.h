// Engine against interpreter, and the smallest kernel that still shows a difference.
#pragma once

#include "engine_runner.h"

#include <functional>

namespace tollgate::differential {

struct Verdict {
  enum class Kind : uint8_t { Same, Different, IllDefined } kind = Kind::Same;
  std::string detail;
};

// IllDefined: the interpreter found undefined behaviour, or its own result depends on the schedule.
Verdict compare(EngineRunner& engine, const KernelCase& kernel);
// Drops lines of the PTX as long as `differs` says that the rest still shows the difference.
KernelCase minimise(KernelCase kernel, double seconds, const std::function<bool(const KernelCase&)>& differs);

} // namespace tollgate::differential
