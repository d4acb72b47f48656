// `tollgate nvcc`: which options have to be added to a user's nvcc command so that the program can run here.
#pragma once

#include <string>
#include <vector>

namespace tollgate::cli {

// Shared runtime, line information, and PTX for every architecture that was given as machine code only. Nothing is
// added where nvcc only answers a question (--version, --help, --dryrun keeps working), preprocesses, or where the
// user's own option already decides; link options are left to links: nvcc itself ignores -cudart while compiling.
[[nodiscard]] std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given);

// Becomes nvcc with those arguments; returns an exit code only if it cannot.
int run_nvcc(const std::vector<std::string>& arguments);

} // namespace tollgate::cli
