#include "cli/preflight.h"

#include "cli/elf.h"
#include "cli/file_kind.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tollgate::cli {

namespace fs = std::filesystem;

namespace {

Error refuse(std::string message, std::string remedy) {
  Error error;
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// A bare name is looked for in PATH like a shell does, and then in the current directory, which a shell does not do
// but everybody means.
Result<std::string> find_program(const std::string& name) {
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) return refuse(name + " is a directory", "name the program inside it");
  if (is_file(name)) return name.find('/') == std::string::npos ? "./" + name : name;
  if (name.find('/') == std::string::npos)
    if (const char* path = std::getenv("PATH")) {
      std::string_view rest = path;
      while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        const std::string candidate = std::string(folder) + "/" + name;
        if (is_file(candidate) && access(candidate.c_str(), X_OK) == 0) return candidate;
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      }
    }
  return refuse("there is no program " + name, "give the path of an executable, a script or a .cu file");
}

template <typename T> T field(std::span<const uint8_t> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

constexpr uint32_t container_magic = 0xBA55ED50;
constexpr size_t container_header = 16, entry_header_least = 32;

// Folders in which the loader would look for the program's libraries.
std::vector<std::string> library_folders(const ElfFile& elf, const std::string& program) {
  std::vector<std::string> folders;
  const auto add = [&](std::string_view list) {
    while (!list.empty()) {
      std::string folder(list.substr(0, list.find(':')));
      list.remove_prefix(std::min(list.size(), folder.size() + 1));
      for (const std::string origin : {"${ORIGIN}", "$ORIGIN"})
        if (const size_t at = folder.find(origin); at != std::string::npos)
          folder.replace(at, origin.size(), fs::path(program).parent_path().string());
      folders.push_back(std::move(folder));
    }
  };
  add(elf.rpath());
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) add(path);
  add(elf.runpath());
  return folders;
}

bool carries_cuda(const ElfFile& elf) {
  return !elf.section(".nv_fatbin").empty() || elf.needs("libcudart.so") || elf.needs("libcuda.so");
}

bool library_carries_cuda(const ElfFile& elf, const std::string& program) {
  for (const auto& folder : library_folders(elf, program))
    for (const auto& name : elf.needed())
      if (const auto library = ElfFile::open(folder + "/" + name); library && carries_cuda(*library)) return true;
  return false;
}

// It may load CUDA later (Python, plug-ins) or start other programs that use it (a test driver).
bool may_bring_cuda_later(const ElfFile& elf) {
  static constexpr std::array ways{"dlopen", "dlmopen",     "fork",         "vfork",  "execve",
                                   "execvp", "posix_spawn", "posix_spawnp", "system", "popen"};
  return std::any_of(ways.begin(), ways.end(), [&](const char* symbol) { return elf.imports(symbol); });
}

Error no_ptx(const std::string& path, const FatbinContents& contents) {
  const std::string sm = contents.targets.empty() ? "80" : std::to_string(contents.targets.front());
  return refuse(path + " holds device code for " + (contents.targets.empty() ? "a GPU" : "sm_" + sm) +
                    " only and no PTX, which is what tollgate runs",
                "add -gencode arch=compute_" + sm + ",code=compute_" + sm +
                    " to nvcc, or build with `tollgate nvcc`, which adds it");
}

bool library_needs_driver(const ElfFile& elf, const std::string& program) {
  for (const auto& folder : library_folders(elf, program))
    for (const auto& name : elf.needed())
      if (const auto library = ElfFile::open(folder + "/" + name); library && library->needs("libcuda.so")) return true;
  return false;
}

Error driver_needed(const std::string& path) {
  return refuse(
      path + " needs libcuda.so.1, the CUDA driver API, which is not modelled",
      "call the runtime API (cuda...) instead of the driver's (cu...); if no function of the driver is called, "
      "link without -lcuda");
}

Result<void> check_executable(const ElfFile& elf, Program& program) {
  if (elf.needs("libcuda.so") || library_needs_driver(elf, program.path)) return driver_needed(program.path);
  const auto fatbin = elf.section(".nv_fatbin"), relocatable = elf.section("__nv_relfatbin");
  const bool own_cuda = !fatbin.empty() || !relocatable.empty();
  const bool shared_runtime = elf.needs("libcudart.so");
  if (own_cuda && !shared_runtime)
    if (elf.defines("cudaLaunchKernel") || elf.defines("__cudaRegisterFatBinary") || !elf.dynamic() ||
        !library_carries_cuda(elf, program.path))
      return refuse(program.path + " is linked with the static CUDA runtime, which cannot be replaced",
                    "link it with `nvcc -cudart shared`, configure CMake with -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, or "
                    "build with `tollgate nvcc`");
  if (own_cuda) {
    const FatbinContents contents = scan_fatbins(fatbin);
    const FatbinContents more = scan_fatbins(relocatable);
    if (contents.ptx + more.ptx == 0 && contents.machine_code + more.machine_code != 0)
      return no_ptx(program.path, contents.machine_code != 0 ? contents : more);
    if (!contents.ptx_targets.empty())
      program.least_capability = *std::min_element(contents.ptx_targets.begin(), contents.ptx_targets.end());
  } else if (!shared_runtime && !library_carries_cuda(elf, program.path)) {
    if (!may_bring_cuda_later(elf))
      return refuse(program.path + " is not a CUDA program: it holds no device code and uses no CUDA runtime library",
                    "give a program that nvcc or clang built from CUDA sources, or a .cu file");
  }
  // The loader searches DT_RPATH first, where a real libcudart may lie.
  program.preload_runtime = !elf.rpath().empty() && elf.runpath().empty();
  return {};
}

} // namespace

FatbinContents scan_fatbins(std::span<const uint8_t> section) {
  FatbinContents contents;
  for (size_t at = 0; at + container_header <= section.size();) {
    if (field<uint32_t>(section, at) != container_magic) {
      at += 8; // containers are aligned; what lies between them is padding
      continue;
    }
    const size_t header = std::max<size_t>(container_header, field<uint16_t>(section, at + 6));
    const uint64_t size = field<uint64_t>(section, at + 8);
    const size_t end = size > section.size() - at ? section.size() : std::min(section.size(), at + header + size);
    size_t entry = at + header;
    while (entry + entry_header_least <= end) {
      const uint16_t kind = field<uint16_t>(section, entry);
      const uint64_t header_size = field<uint32_t>(section, entry + 4), payload = field<uint64_t>(section, entry + 8);
      if (kind == 1) {
        ++contents.ptx;
        contents.ptx_targets.push_back(field<uint32_t>(section, entry + 28));
      }
      if (kind == 2) {
        ++contents.machine_code;
        contents.targets.push_back(field<uint32_t>(section, entry + 28));
      }
      if (header_size < entry_header_least || header_size > section.size() || payload > section.size()) break;
      entry += header_size + payload;
    }
    at = std::max(end, at + container_header);
    at = (at + 7) / 8 * 8;
  }
  return contents;
}

Result<Program> inspect_built(const std::string& path, const std::string& source) {
  const auto elf = ElfFile::open(path);
  Program program;
  program.path = path;
  if (!elf ||
      (elf->section(".nv_fatbin").empty() && elf->section("__nv_relfatbin").empty() && !elf->needs("libcuda.so")))
    return program; // host code alone: it may run, and a check will say that nothing was checked
  auto checked = check_executable(*elf, program);
  if (checked) return program;
  Error error = checked.error();
  if (error.message.starts_with(path))
    error.message = "the program built from " + source + error.message.substr(path.size());
  return error;
}

Result<Program> inspect_program(const std::string& name) {
  auto path = find_program(name);
  if (!path) return path.error();
  Program program;
  program.path = *path;
  const std::string extension = fs::path(program.path).extension();
  if (access(program.path.c_str(), R_OK) != 0 && access(program.path.c_str(), X_OK) != 0)
    return refuse(program.path + " cannot be read: " + std::strerror(errno), "look at its permissions");
  if (extension == ".cu") {
    program.kind = ProgramKind::CudaSource;
    return program;
  }
  if (extension == ".ptx") {
    program.kind = ProgramKind::Ptx;
    return program;
  }
  if (const auto useless = why_no_program(program.path))
    return refuse(program.path + " " + useless->what, useless->remedy);
  if (access(program.path.c_str(), X_OK) != 0)
    return refuse(program.path + " is not executable", "set its permission with `chmod +x`");
  const auto elf = ElfFile::open(program.path);
  if (!elf) return program; // a script: its children are followed
  if (auto checked = check_executable(*elf, program); !checked) return checked.error();
  return program;
}

} // namespace tollgate::cli
