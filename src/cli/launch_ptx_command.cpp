// tollgate launch-ptx FILE LAUNCH: the program that `run` and `check` start for a .ptx file. It is this executable
// again, in a process of its own, with the replacement runtime loaded like any CUDA program's.
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/launch_text.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tollgate::cli {

namespace {

struct Dim3 {
  unsigned x, y, z;
};

Error failure(std::string message, std::string remedy = "") {
  Error error;
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

// The CUDA runtime API, by name: this executable is not linked to a runtime.
class Runtime {
public:
  Runtime() : library_(dlopen("libcudart.so.13", RTLD_NOW)) {}

  template <typename... Args> Result<void> call(const char* name, const std::string& what, Args... args) {
    void* symbol = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (symbol == nullptr)
      return failure(std::string("the replacement CUDA runtime was not loaded (") + name + ")",
                     "start it by `tollgate run`");
    const int status = reinterpret_cast<int (*)(Args...)>(symbol)(args...);
    if (status == 0) return {};
    reinterpret_cast<int (*)()>(dlsym(library_, "cudaGetLastError"))(); // looked at, here
    const auto text = reinterpret_cast<const char* (*)(int)>(dlsym(library_, "cudaGetErrorString"));
    return failure(what + ": " + text(status));
  }

private:
  void* library_;
};

struct Parameter {
  uint64_t value = 0; // its bytes, from the lowest
  size_t size = 0;
};

class PtxLaunch {
public:
  PtxLaunch(std::string file, LaunchText launch) : file_(std::move(file)), launch_(std::move(launch)) {}

  Result<void> run() {
    void* module = nullptr;
    void* kernel = nullptr;
    void* const none = nullptr;
    if (auto r =
            runtime_.call("cudaLibraryLoadFromFile", file_, &module, file_.c_str(), none, none, 0U, none, none, 0U);
        !r)
      return r;
    if (auto r =
            runtime_.call("cudaLibraryGetKernel", "kernel " + launch_.kernel, &kernel, module, launch_.kernel.c_str());
        !r)
      return failure("there is no kernel " + launch_.kernel + " in " + file_, "a kernel is an `.entry` of the file");
    if (auto r = fill_parameters(kernel); !r) return r;
    std::vector<void*> pointers;
    for (Parameter& p : parameters_) pointers.push_back(&p.value);
    const auto& g = launch_.grid;
    const auto& b = launch_.block;
    if (auto r = runtime_.call("cudaLaunchKernel", "launch", static_cast<const void*>(kernel), Dim3{g[0], g[1], g[2]},
                               Dim3{b[0], b[1], b[2]}, pointers.data(), size_t(launch_.shared), none);
        !r)
      return r;
    if (auto r = runtime_.call("cudaDeviceSynchronize", "kernel " + launch_.kernel); !r) return r;
    return write_results();
  }

private:
  Result<void> fill_parameters(void* kernel) {
    for (size_t offset = 0, size = 0, i = 0;
         runtime_.call("cudaFuncGetParamInfo", "", static_cast<const void*>(kernel), i, &offset, &size); ++i)
      parameters_.push_back({0, size});
    if (parameters_.size() != launch_.arguments.size())
      return failure("kernel " + launch_.kernel + " takes " + std::to_string(parameters_.size()) +
                     " arguments, --launch has " + std::to_string(launch_.arguments.size()));
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (auto r = fill(parameters_[i], launch_.arguments[i]); !r) return r;
    return {};
  }

  Result<void> fill(Parameter& p, const LaunchArgument& a) {
    using Kind = LaunchArgument::Kind;
    const size_t size = p.size;
    const auto bad = [&](const std::string& why) {
      return failure("argument " + a.text + ": the parameter has " + std::to_string(size) + " bytes" + why);
    };
    if (size != 1 && size != 2 && size != 4 && size != 8) return bad("; --launch fills parameters of 1, 2, 4 or 8");
    if (a.kind == Kind::Integer) {
      const auto as_signed = int64_t(a.integer);
      const bool fits =
          size == 8 || a.integer >> (8 * size) == 0 || (as_signed < 0 && as_signed >= -(int64_t(1) << (8 * size - 1)));
      if (!fits) return bad(", too few for it");
      p.value = a.integer;
      return {};
    }
    if (a.kind == Kind::Real) {
      const auto narrow = float(a.real);
      if (size == 4) memcpy(&p.value, &narrow, 4);
      if (size == 8) memcpy(&p.value, &a.real, 8);
      return size < 4 ? Result<void>(bad(", no float")) : Result<void>();
    }
    if (size != 8) return bad(", an address has 8");
    return fill_memory(p, a);
  }

  Result<void> fill_memory(Parameter& p, const LaunchArgument& a) {
    using Kind = LaunchArgument::Kind;
    std::vector<char> bytes(a.bytes);
    if (a.kind == Kind::File) {
      std::ifstream in(a.path, std::ios::binary);
      if (!in) return failure("cannot read " + a.path + ": " + std::strerror(errno));
      std::error_code unknown;
      if (std::filesystem::is_character_file(a.path, unknown))
        return failure(a.path + " is a device: it may have no end");
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    if (a.kind == Kind::Random) {
      uint64_t state = 0x9e3779b97f4a7c15ull;
      for (char& byte : bytes) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        byte = char(state >> 56);
      }
    }
    void* device = nullptr;
    if (auto r = runtime_.call("cudaMalloc", "argument " + a.text, &device, bytes.size()); !r) return r;
    constexpr int to_device = 1;
    if (!bytes.empty())
      if (auto r = runtime_.call("cudaMemcpy", "argument " + a.text, device, static_cast<const void*>(bytes.data()),
                                 bytes.size(), to_device);
          !r)
        return r;
    if (a.kind == Kind::Out) results_.push_back({a, device});
    p.value = reinterpret_cast<uint64_t>(device);
    return {};
  }

  Result<void> write_results() {
    constexpr int to_host = 2;
    for (const auto& [a, device] : results_) {
      std::vector<char> bytes(a.bytes);
      if (auto r = runtime_.call("cudaMemcpy", "argument " + a.text, static_cast<void*>(bytes.data()),
                                 static_cast<const void*>(device), bytes.size(), to_host);
          !r)
        return r;
      std::ofstream out(a.path, std::ios::binary);
      if (!out.write(bytes.data(), std::streamsize(bytes.size())).flush())
        return failure("cannot write " + a.path + ": " + std::strerror(errno));
    }
    return {};
  }

  std::string file_;
  LaunchText launch_;
  Runtime runtime_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<LaunchArgument, void*>> results_;
};

class LaunchPtxCommand final : public Command {
public:
  LaunchPtxCommand() : Command(launch_ptx_command, "") {}
  void options(CLI::App& app) override {
    app.group(""); // not in the help: run and check call it
    app.add_option("FILE", file_)->required();
    app.add_option("LAUNCH", launch_)->required();
  }
  int run() override {
    auto launch = parse_launch(launch_);
    Result<void> done = launch ? PtxLaunch(file_, std::move(*launch)).run() : Result<void>(launch.error());
    if (done) return 0;
    print_error(done.error().message, done.error().remedy);
    return 1;
  }

private:
  std::string file_, launch_;
} launch_ptx;

} // namespace

} // namespace tollgate::cli
