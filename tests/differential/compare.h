// Engine against interpreter, and the smallest kernel that still shows a difference.
#pragma once

#include "engine_runner.h"

namespace tollgate::differential {

struct Verdict {
  enum class Kind : uint8_t { Same, Different, IllDefined } kind = Kind::Same;
  std::string detail;
};

// IllDefined: the interpreter found undefined behaviour, or its own result depends on the schedule.
Verdict compare(EngineRunner& engine, const KernelCase& kernel);
// Drops lines of the PTX as long as the verdict stays Different.
KernelCase minimise(EngineRunner& engine, KernelCase kernel, double seconds);

} // namespace tollgate::differential
