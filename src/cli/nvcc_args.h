// `tollgate nvcc`: which options have to be added to a user's nvcc command so that the program can run here.
#pragma once

#include <string>
#include <vector>

namespace tollgate::cli {

// What among nvcc's options leaves no PTX in the program, so that it could not be run here: "-dlto"; empty if nothing.
[[nodiscard]] std::string option_without_ptx(const std::vector<std::string>& given);
inline constexpr const char* lto_message =
    "leaves code for link-time optimisation and no PTX, which is what tollgate runs";
inline constexpr const char* lto_remedy = "leave it out; with CMake, switch CUDA's INTERPROCEDURAL_OPTIMIZATION off";

// Shared runtime, line information, and PTX for every architecture that was given as machine code only. Nothing is
// added where nvcc only answers a question (--version, --help, --dryrun keeps working), preprocesses, or where the
// user's own option already decides; link options are left to links: nvcc itself ignores -cudart while compiling.
[[nodiscard]] std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given);

// Becomes nvcc with those arguments; returns an exit code only if it cannot.
int run_nvcc(const std::vector<std::string>& arguments);

} // namespace tollgate::cli
