// tollgate doctor: what this machine has, and what will work.
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/process.h"
#include "report/style.h"
#include "report/text.h"

#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace tollgate::cli {

namespace {

using report::Style;

std::string first_line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

std::string vector_units() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return "AVX-512: a warp is two registers";
  if (__builtin_cpu_supports("avx2")) return "AVX2: a warp is four registers";
  return "";
}

class DoctorCommand final : public Command {
public:
  DoctorCommand() : Command("doctor", "What this machine has: toolchain, GPUs, CPU features; what will work") {}
  void options(CLI::App&) override {}

  int run() override {
    color_ = report::TextOptions::for_stream(STDOUT_FILENO, report::ColorMode::Auto).color;
    const auto runtime = runtime_folder("");
    const std::string nvcc = find_nvcc(), clang = find_clang(), headers = cuda_header_folder();
    toolchain(nvcc, clang, headers);
    machine();
    line(runtime ? Ok : Missing, "runtime library", runtime ? *runtime + "/libcudart.so.13" : runtime.error().message);

    std::puts("\nwhat will work");
    const bool sources = !nvcc.empty() || (!clang.empty() && !headers.empty());
    line(runtime ? Ok : Missing, "programs", "run and check of executables with a shared CUDA runtime and PTX");
    line(runtime && sources ? Ok : Missing, "sources",
         !nvcc.empty() ? "run and check of .cu files, through nvcc"
         : sources     ? "run and check of .cu files, through clang and tollgate's own headers"
                       : "run and check of .cu files need nvcc, or clang 14 or later");
    line(nvcc.empty() ? Missing : Ok, "builds",
         nvcc.empty() ? "`tollgate nvcc` needs nvcc" : "`tollgate nvcc`; for CMake: CUDACXX=tollgate-nvcc");
    return runtime ? 0 : 1;
  }

private:
  enum Mark { Ok, Absent, Missing };

  void line(Mark mark, const std::string& what, const std::string& text) const {
    const std::string sign = mark == Ok       ? report::paint("  ok  ", Style::Help, color_)
                             : mark == Absent ? report::paint("  --  ", Style::Plain, color_)
                                              : report::paint("  no  ", Style::Warning, color_);
    std::printf("%s%-16s %s\n", sign.c_str(), what.c_str(), text.c_str());
  }

  void toolchain(const std::string& nvcc, const std::string& clang, const std::string& headers) const {
    std::puts("toolchain");
    if (nvcc.empty()) {
      line(Absent, "nvcc", "not found (PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda)");
    } else {
      const std::string version = first_line_with(output_of({nvcc, "--version"}), "release");
      line(version.empty() ? Missing : Ok, "nvcc", nvcc + (version.empty() ? ": does not start" : " - " + version));
    }
    if (clang.empty())
      line(Absent, "clang", "not found (clang++, clang++-20 ... clang++-14)");
    else
      line(Ok, "clang", clang + " - " + first_line_with(output_of({clang, "--version"}), "version"));
    line(headers.empty() ? Absent : Ok, "CUDA headers",
         headers.empty() ? "tollgate's own, for clang without a toolkit: not there" : headers);
  }

  void machine() const {
    std::puts("\nmachine");
    line(Ok, "processors", std::to_string(std::max(1u, std::thread::hardware_concurrency())));
    const std::string units = vector_units();
    line(units.empty() ? Missing : Ok, "vector units", units.empty() ? "neither AVX2 nor AVX-512: slow" : units);
    const std::string smi = find_in_path("nvidia-smi");
    const std::string gpus =
        smi.empty() ? "" : output_of({smi, "--query-gpu=name,driver_version", "--format=csv,noheader"});
    if (gpus.empty()) {
      line(Absent, "GPU", "none found; none is needed");
      return;
    }
    for (size_t at = 0; at < gpus.size();) {
      const size_t end = std::min(gpus.find('\n', at), gpus.size());
      line(Ok, "GPU", gpus.substr(at, end - at) + " (not used)");
      at = end + 1;
    }
  }

  bool color_ = false;
} doctor_command;

} // namespace

} // namespace tollgate::cli
