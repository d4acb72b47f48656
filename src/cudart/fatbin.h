// Reads the fat binaries that nvcc and clang embed: a wrapper points to one or more containers, each with entries for
// several architectures, PTX among them raw or compressed. Everything is bounds-checked as far as the format carries
// sizes: a container in memory states its own length.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tollgate::cudart {

struct FatbinEntry {
  enum class Kind : uint16_t { Ptx = 1, Elf = 2 };
  enum class Compression : uint8_t { None, Lz4, Zstd };
  Kind kind = Kind::Ptx;
  Compression compression = Compression::None;
  unsigned sm = 0;     // compute capability times ten
  bool exact = false;  // "sm_90a": runs on that architecture only
  bool family = false; // "sm_100f": runs on its family
  std::span<const uint8_t> payload;
  uint64_t uncompressed_size = 0; // 0: not compressed
};

// What a fat binary offers, for the message about one that offers nothing useful.
struct FatbinContents {
  std::vector<FatbinEntry> entries;
  [[nodiscard]] std::string describe() const; // "sm_80 machine code, compute_90 PTX"
};

// Entries of one container; `bytes` may be longer than the container.
Result<FatbinContents> read_container(std::span<const uint8_t> bytes);
// The text of a PTX entry.
Result<std::string> extract_ptx(const FatbinEntry& entry);
// The PTX that an `sm` device would be given: the highest architecture not above it.
const FatbinEntry* choose_ptx(const FatbinContents& contents, unsigned sm);
// The container's PTX for `sm`, or the error that tells the user how to rebuild.
Result<std::string> ptx_of_container(std::span<const uint8_t> bytes, unsigned sm);

// Everything a registered wrapper points to. The pointers come from the program itself and are trusted; sizes are
// taken from the container headers.
Result<std::vector<std::string>> ptx_of_wrapper(const void* wrapper, unsigned sm);
// The same for an image handed to cudaLibraryLoadData: a wrapper, a container, or PTX text.
Result<std::vector<std::string>> ptx_of_image(const void* image, unsigned sm);

} // namespace tollgate::cudart
