#include "cli/file_kind.h"

#include "cli/elf.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace tollgate::cli {

namespace fs = std::filesystem;

namespace {

constexpr unsigned em_cuda = 190; // e_machine of a cubin
constexpr uint32_t fatbin_magic = 0xBA55ED50;

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string first_bytes(const std::string& path) {
  std::string bytes(4096, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

std::optional<Useless> judge_name(const std::string& path) {
  const std::string extension = fs::path(path).extension();
  if (one_of(extension, {".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl"}))
    return Useless{"is a header", "give the .cu file that includes it, or the program built from that"};
  if (extension == ".CU" || extension == ".Cu")
    return Useless{"is CUDA source under a name that nvcc does not take for it", "rename it so that it ends in .cu"};
  if (one_of(extension, {".c", ".cc", ".cpp", ".cxx", ".C", ".c++"}))
    return Useless{"is C++ source, not a program", "build it and give the executable; rename it to .cu if it is CUDA"};
  return std::nullopt;
}

std::optional<Useless> judge_elf(const std::string& path, const std::string& bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return Useless{"is cut off: it ends within the header of a program", "build it again"};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool ours = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
  if (header.e_machine == em_cuda)
    return Useless{"is a cubin: machine code of a GPU",
                   "give the program that launches its kernels, built with PTX in it"};
  if (!ours) return Useless{"is for another kind of machine than this one (x86-64)", "build it for x86-64"};
  if (header.e_type == ET_REL) return Useless{"is an object file", "link it and give the executable"};
  if (header.e_type == ET_CORE) return Useless{"is a core dump", "give the program that wrote it"};
  if (header.e_type != ET_DYN) return std::nullopt;
  const auto elf = ElfFile::open(path);
  if (!elf || elf->dynamic() || elf->position_independent_executable()) return std::nullopt;
  return Useless{"is a shared library",
                 "give the program that loads it (for a Python module: tollgate run python3 FILE.py)"};
}

// A kernel of Linux starts a file of text only if its first line names who reads it.
std::optional<Useless> judge_script(const std::string& path, const std::string& bytes) {
  const bool text = bytes.find('\0') == std::string::npos;
  if (!bytes.starts_with("#!")) {
    if (!text)
      return Useless{"is neither a program of this machine nor a script", "give an executable, a script or a .cu file"};
    const std::string extension = fs::path(path).extension();
    const std::string reader = extension == ".py" ? "python3" : "sh";
    return Useless{"is text without a #! line", "name its interpreter, as in `tollgate run " + reader + " " + path +
                                                    "`, or make #!/usr/bin/env " + reader + " its first line"};
  }
  const size_t begin = bytes.find_first_not_of(" \t", 2);
  const size_t end = std::min(bytes.find_first_of(" \t\r\n", begin), bytes.size());
  const std::string interpreter = begin < end ? bytes.substr(begin, end - begin) : "";
  if (interpreter.empty() || access(interpreter.c_str(), X_OK) != 0)
    return Useless{"asks in its #! line for " + (interpreter.empty() ? "nothing" : interpreter) +
                       ", which cannot be run",
                   "correct its first line"};
  return std::nullopt;
}

} // namespace

std::optional<Useless> why_no_program(const std::string& path) {
  if (auto useless = judge_name(path)) return useless;
  if (access(path.c_str(), R_OK) != 0) return std::nullopt; // execute-only: the system will say
  const std::string bytes = first_bytes(path);
  if (bytes.empty()) return Useless{"is empty", "build it again"};
  uint32_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == fatbin_magic)
    return Useless{"is a fat binary: device code alone", "give the program that launches its kernels"};
  if (bytes.starts_with("!<arch>\n")) return Useless{"is a static library", "link it and give the executable"};
  if (bytes.starts_with(ELFMAG)) return judge_elf(path, bytes);
  return judge_script(path, bytes);
}

} // namespace tollgate::cli
