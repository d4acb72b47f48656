// The way without a CUDA toolkit: clang makes PTX and the host object, we make the fat binary between them.
#pragma once

#include "cli/compile.h"

#include <cstdint>

namespace tollgate::cli {

[[nodiscard]] Result<void> compile_with_clang(const std::string& clang, const std::string& headers,
                                              const CompileRequest& request);

// A container with one uncompressed PTX entry, as __cudaRegisterFatBinary receives it.
[[nodiscard]] std::vector<uint8_t> make_fatbin(const std::string& ptx, unsigned sm);

// Runs a compiler; an error if it says so. Its messages have been seen by then.
[[nodiscard]] Result<void> run_compiler(const std::vector<std::string>& command, const std::string& source);

} // namespace tollgate::cli
