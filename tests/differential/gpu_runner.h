// Runs a kernel case on a real GPU through the CUDA driver, which is looked for when first asked.
#pragma once

#include "engine_runner.h"

#include <memory>

namespace tollgate::differential {

class GpuRunner {
public:
  GpuRunner(); // throws std::runtime_error where there is no driver or no GPU
  ~GpuRunner();
  Outcome run(const KernelCase& kernel);

private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

} // namespace tollgate::differential
