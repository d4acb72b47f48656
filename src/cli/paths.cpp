#include "cli/paths.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace tollgate::cli {

namespace fs = std::filesystem;

namespace {

fs::path own_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

bool runnable(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

} // namespace

Result<std::string> runtime_folder(const std::string& given) {
  std::error_code ignored;
  const fs::path own = own_folder();
  for (const fs::path& folder : {fs::path(given), own / "lib", own / "../lib/tollgate"}) {
    if (folder.empty()) continue;
    if (fs::exists(folder / "libcudart.so.13", ignored)) return fs::canonical(folder, ignored).string();
    if (folder == given) break; // asked for: no other will do
  }
  Error error;
  error.message = given.empty() ? "the replacement CUDA runtime (libcudart.so.13) is not beside this program"
                                : "there is no libcudart.so.13 in " + given;
  error.remedy = "install tollgate completely, or build the target `cudart` (`cmake --build build`)";
  return error;
}

std::string cuda_header_folder() {
  std::error_code ignored;
  for (const fs::path& folder :
       {own_folder() / "../include/tollgate/cuda", fs::path(TOLLGATE_SOURCE_DIR "/include/tollgate/cuda")})
    if (fs::exists(folder / "cuda_runtime.h", ignored)) return fs::canonical(folder, ignored).string();
  return "";
}

std::string find_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return runnable(command) ? command : "";
  const std::string path = variable("PATH");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (const std::string candidate = path.substr(at, end - at) + "/" + command; runnable(candidate)) return candidate;
    at = end + 1;
  }
  return "";
}

std::string find_nvcc() {
  if (const std::string given = variable("TOLLGATE_NVCC"); !given.empty()) return find_in_path(given);
  if (const std::string found = find_in_path("nvcc"); !found.empty()) return found;
  for (const std::string& root : {variable("CUDA_HOME"), variable("CUDA_PATH"), std::string("/usr/local/cuda")})
    if (!root.empty() && runnable(root + "/bin/nvcc")) return root + "/bin/nvcc";
  return "";
}

std::string find_clang() {
  if (const std::string given = variable("TOLLGATE_CLANG"); !given.empty()) return find_in_path(given);
  if (const std::string found = find_in_path("clang++"); !found.empty()) return found;
  for (int version = 20; version >= 14; --version)
    if (const std::string found = find_in_path("clang++-" + std::to_string(version)); !found.empty()) return found;
  return "";
}

ScratchFolder::ScratchFolder() {
  const std::string root = variable("TMPDIR");
  std::string pattern = (root.empty() ? std::string("/tmp") : root) + "/tollgate-XXXXXX";
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace tollgate::cli
