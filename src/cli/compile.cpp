#include "cli/compile.h"

#include "cli/compile_clang.h"
#include "cli/nvcc_args.h"
#include "cli/paths.h"
#include "cli/process.h"

#include <algorithm>

namespace tollgate::cli {

namespace {

bool names_architecture(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.starts_with("-arch") || flag.starts_with("--gpu-architecture") || flag.starts_with("-gencode") ||
           flag.starts_with("--generate-code");
  });
}

std::vector<std::string> nvcc_command(const std::string& nvcc, const CompileRequest& request) {
  const std::string compute = "compute_" + std::to_string(request.sm);
  std::vector<std::string> command{nvcc,        "-cudart",    "shared",
                                   "-lineinfo", "-Xcompiler", "-g1"}; // lines of host code, for what the program calls
  if (!names_architecture(request.flags))
    command.insert(command.end(), {"-gencode", "arch=" + compute + ",code=" + compute});
  if (request.unoptimised) command.insert(command.end(), {"-Xcicc", "-O0"});
  command.insert(command.end(), request.flags.begin(), request.flags.end());
  command.insert(command.end(), {"-o", request.output, request.source});
  return command;
}

} // namespace

Result<void> run_compiler(const std::vector<std::string>& command, const std::string& source) {
  ProcessRequest process;
  process.executable = command.front();
  process.arguments = command;
  const auto outcome = run_process(process);
  if (!outcome) return outcome.error();
  if (outcome->signal == 0 && outcome->exit_code == 0) return {};
  Error error;
  error.message = source + " could not be compiled";
  if (outcome->signal != 0) error.message += ": the compiler was ended by signal " + std::to_string(outcome->signal);
  if (outcome->interrupted) error.message = "interrupted while compiling " + source;
  return error;
}

Result<void> compile_cuda(const CompileRequest& request) {
  if (const std::string option = option_without_ptx(request.flags); !option.empty()) {
    Error error;
    error.message = option + " " + lto_message;
    error.remedy = lto_remedy;
    return error;
  }
  if (const std::string nvcc = find_nvcc(); !nvcc.empty())
    return run_compiler(nvcc_command(nvcc, request), request.source);
  const std::string clang = find_clang(), headers = cuda_header_folder();
  if (!clang.empty() && !headers.empty()) return compile_with_clang(clang, headers, request);
  Error error;
  error.message = "no compiler for " + request.source + ": neither nvcc nor clang" +
                  (clang.empty() ? " was found" : " with tollgate's own headers was found");
  error.remedy = "install the CUDA toolkit (nvcc) or clang 14 or later; `tollgate doctor` says what is there";
  return error;
}

} // namespace tollgate::cli
