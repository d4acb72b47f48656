// Runs a kernel case on a real GPU through the CUDA driver, which is looked for when first asked.
#pragma once

#include "engine_runner.h"

#include <memory>

namespace tollgate::differential {

class GpuRunner {
public:
  // The optimisation level is the driver's compiler's, 0 to 4. Throws std::runtime_error where there is no driver or
  // GPU.
  explicit GpuRunner(int optimisation = 4);
  ~GpuRunner();

  // A kernel that runs for ten seconds: the GPU cannot be used by this process any more.
  struct Stuck {};

  Outcome run(const KernelCase& kernel); // throws Stuck

private:
  void wait();
  struct Driver;
  std::unique_ptr<Driver> driver_;
  int optimisation_;
};

} // namespace tollgate::differential
