// Where things are: our runtime library, the compilers.
#pragma once

#include "base/result.h"

#include <string>

namespace tollgate::cli {

// The folder with our libcudart.so.*: build/lib beside build/tollgate, or ../lib/tollgate after installation.
// `given` (--runtime-dir) comes first where it is not empty.
[[nodiscard]] Result<std::string> runtime_folder(const std::string& given);

// The folder with the headers for compiling without a CUDA toolkit; empty if they are not there.
[[nodiscard]] std::string cuda_header_folder();

[[nodiscard]] std::string find_nvcc();  // TOLLGATE_NVCC, PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda; empty if none
[[nodiscard]] std::string find_clang(); // TOLLGATE_CLANG, clang++, or with a version from 20 down to 14; empty if none
[[nodiscard]] std::string find_in_path(const std::string& command);

// A folder for this run that is removed with everything in it at the end.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; } // empty if it could not be made

private:
  std::string path_;
};

} // namespace tollgate::cli
