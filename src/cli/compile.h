// Compiles one .cu file for a run: through nvcc, or through clang and our own headers where there is no toolkit.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace tollgate::cli {

struct CompileRequest {
  std::string source;
  std::string output;         // the executable
  std::string scratch;        // folder for intermediate files
  std::string runtime_folder; // with our libcudart, to link against where there is no toolkit
  unsigned sm = 80;
  bool unoptimised = false;       // device code at -O0: the optimiser hides races and early exits
  std::vector<std::string> flags; // the user's own
};

// The compiler's own messages go to standard error as they are.
[[nodiscard]] Result<void> compile_cuda(const CompileRequest& request);

} // namespace tollgate::cli
