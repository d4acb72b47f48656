#include "cli/compile_clang.h"

#include "cli/process.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tollgate::cli {

namespace {

template <typename T> void put(std::vector<uint8_t>& out, size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

// PTX versions are features of clang's back end; without one the shuffles of Volta are refused.
std::string ptx_feature(unsigned sm) { return sm >= 90 ? "+ptx80" : "+ptx70"; }

std::vector<std::string> common_options(const std::string& clang, const std::string& headers,
                                        const CompileRequest& request) {
  std::vector<std::string> options{clang,
                                   "-x",
                                   "cuda",
                                   "-nocudainc",
                                   "-nocudalib",
                                   "--cuda-path=/nonexistent",
                                   "--cuda-gpu-arch=sm_" + std::to_string(request.sm),
                                   "-std=c++17",
                                   "-I" + headers,
                                   "-include",
                                   "cuda_runtime.h",
                                   "-Xclang",
                                   "-target-sdk-version=11.5", // else the launch calls of CUDA 9
                                   "-Wno-unknown-cuda-version"};
  options.insert(options.end(), request.flags.begin(), request.flags.end());
  return options;
}

void append(std::vector<std::string>& command, std::initializer_list<std::string> more) {
  command.insert(command.end(), more);
}

Error cannot_write(const std::string& path) {
  Error error;
  error.message = "cannot write " + path;
  return error;
}

bool of_the_toolkit(const std::string& header) {
  static constexpr std::array beginnings{"cub/",
                                         "thrust/",
                                         "cuda/",
                                         "cuda_",
                                         "cooperative_groups",
                                         "nv/",
                                         "nvtx3/",
                                         "crt/",
                                         "cublas",
                                         "cufft",
                                         "curand",
                                         "cusolver",
                                         "cusparse",
                                         "cuComplex",
                                         "cudaGL",
                                         "cudaProfiler",
                                         "cupti",
                                         "nvrtc",
                                         "nvml",
                                         "npp",
                                         "mma.h",
                                         "math_constants",
                                         "math_functions",
                                         "texture_",
                                         "surface_",
                                         "channel_descriptor",
                                         "sm_"};
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* begin) { return header.starts_with(begin); });
}

// The first header of the toolkit that the source asks for and that is nowhere; empty if there is none. Asked for
// dependencies, clang takes missing headers for such as will be made, and lists them with the others.
std::string missing_toolkit_header(std::vector<std::string> command, const std::string& source) {
  append(command, {"--cuda-device-only", "-M", "-MG", source});
  std::istringstream words(output_of(command));
  std::error_code ignored;
  for (std::string word; words >> word;)
    if (of_the_toolkit(word) && !std::filesystem::exists(word, ignored)) return word;
  return "";
}

Error explained(Error error, const std::string& header, const std::string& source) {
  if (header.empty()) return error;
  error.message =
      source + " includes " + header + ", a header of the CUDA toolkit that tollgate has no replacement for";
  error.remedy =
      "install the CUDA toolkit: its nvcc compiles the file, with CCCL (CUB, Thrust, libcu++) and all other headers";
  return error;
}

} // namespace

std::vector<uint8_t> make_fatbin(const std::string& ptx, unsigned sm) {
  constexpr size_t container_header = 16, entry_header = 64;
  const uint64_t payload = (ptx.size() + 1 + 7) / 8 * 8; // a terminating zero, padded
  std::vector<uint8_t> out(container_header + entry_header + payload);
  put(out, 0, uint32_t{0xBA55ED50});
  put(out, 4, uint16_t{1});
  put(out, 6, uint16_t{container_header});
  put(out, 8, uint64_t{entry_header + payload});
  constexpr size_t entry = container_header;
  put(out, entry + 0, uint16_t{1}); // PTX
  put(out, entry + 2, uint16_t{0x0101});
  put(out, entry + 4, uint32_t{entry_header});
  put(out, entry + 8, payload);
  put(out, entry + 24, uint16_t{0});
  put(out, entry + 26, uint16_t{7});
  put(out, entry + 28, uint32_t{sm});
  std::memcpy(out.data() + container_header + entry_header, ptx.data(), ptx.size());
  return out;
}

Result<void> compile_with_clang(const std::string& clang, const std::string& headers, const CompileRequest& request) {
  const std::string ptx_path = request.scratch + "/device.ptx", fatbin_path = request.scratch + "/device.fatbin";
  const std::string object = request.scratch + "/host.o";

  std::vector<std::string> device = common_options(clang, headers, request);
  append(device, {"--cuda-device-only", "-Xclang", "-target-feature", "-Xclang", ptx_feature(request.sm),
                  "-gline-tables-only", request.unoptimised ? "-O0" : "-O2", "-S", "-o", ptx_path, request.source});
  if (auto done = run_compiler(device, request.source); !done)
    return explained(done.error(), missing_toolkit_header(common_options(clang, headers, request), request.source),
                     request.source);

  std::ifstream in(ptx_path);
  std::ostringstream ptx;
  ptx << in.rdbuf();
  const std::vector<uint8_t> fatbin = make_fatbin(ptx.str(), request.sm);
  std::ofstream out(fatbin_path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(fatbin.data()), static_cast<std::streamsize>(fatbin.size()));
  out.close();
  if (!out) return cannot_write(fatbin_path);

  std::vector<std::string> host = common_options(clang, headers, request);
  append(host, {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin_path, "-O2",
                "-gline-tables-only", "-c", "-o", object, request.source});
  if (auto done = run_compiler(host, request.source); !done) return done;

  return run_compiler({clang, object, request.runtime_folder + "/libcudart.so.13", "-o", request.output, "-pthread"},
                      request.source);
}

} // namespace tollgate::cli
