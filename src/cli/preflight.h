// Looks at the program before it starts, so that what cannot work is refused with a remedy instead of failing inside
// somebody's main().
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tollgate::cli {

enum class ProgramKind { CudaSource, Ptx, Executable };

struct Program {
  ProgramKind kind = ProgramKind::Executable;
  std::string path;              // to open or execute
  bool preload_runtime = false;  // its DT_RPATH is searched before LD_LIBRARY_PATH: the library must come first
  unsigned least_capability = 0; // of a device that can run some of its PTX, as in 80; 0: unknown
  std::vector<std::string> warnings;
};

// Finds `name` (a path, or a command as the shell would look it up) and checks that it can be run.
[[nodiscard]] Result<Program> inspect_program(const std::string& name);

// The same for what was just built from a .cu file, which the user calls `source`: options of the compiler decide.
[[nodiscard]] Result<Program> inspect_built(const std::string& path, const std::string& source);

// What the fat binaries of a section hold.
struct FatbinContents {
  unsigned ptx = 0, machine_code = 0;
  std::vector<unsigned> targets; // sm numbers of the machine code
  std::vector<unsigned> ptx_targets;
};

[[nodiscard]] FatbinContents scan_fatbins(std::span<const uint8_t> section);

} // namespace tollgate::cli
