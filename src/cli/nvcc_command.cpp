// tollgate nvcc: nvcc with what a program needs to run here. Also reached as `tollgate-nvcc`, for build systems that
// take a compiler as one word (CUDACXX, CMAKE_CUDA_COMPILER).
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/nvcc_args.h"
#include "cli/paths.h"
#include "cli/process.h"

#include <CLI/CLI.hpp>

namespace tollgate::cli {

int run_nvcc(const std::vector<std::string>& arguments) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty()) {
    print_error("nvcc was not found", "install the CUDA toolkit, put nvcc on PATH, or set CUDA_HOME; without a toolkit "
                                      "`tollgate run FILE.cu` uses clang");
    return exit_tool_failed;
  }
  if (const std::string option = option_without_ptx(arguments); !option.empty()) {
    print_error(option + " " + lto_message, lto_remedy);
    return exit_tool_failed;
  }
  std::vector<std::string> command{nvcc};
  for (auto& word : nvcc_arguments(arguments)) command.push_back(std::move(word));
  print_error(replace_process(command));
  return exit_tool_failed;
}

namespace {

// main() hands `tollgate nvcc ...` over before options are parsed: all of them are nvcc's, even --help.
class NvccCommand final : public Command {
public:
  NvccCommand() : Command("nvcc", "nvcc with the flags that make a program runnable here (for CUDACXX=)") {}
  void options(CLI::App& app) override {
    app_ = &app;
    app.prefix_command();
  }
  int run() override { return run_nvcc(app_->remaining()); }

private:
  CLI::App* app_ = nullptr;
} nvcc_command;

} // namespace

} // namespace tollgate::cli
