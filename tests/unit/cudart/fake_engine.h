#pragma once

#include "engine/engine.h"

#include <string>

namespace tollgate::fake {

// "Runs" a kernel of the test programs on the host, by its unmangled name inside `name`.
engine::LaunchResult run_fake_kernel(engine::Engine& engine, const std::string& name,
                                     const engine::LaunchRequest& request);

} // namespace tollgate::fake
