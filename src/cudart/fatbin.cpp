#include "cudart/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace tollgate::cudart {
namespace {

constexpr uint32_t wrapper_magic = 0x466243B1;
constexpr uint32_t container_magic = 0xBA55ED50;
constexpr uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_exact = 0x100000, flag_family = 0x200000;
constexpr uint64_t container_header_size = 16, entry_header_size = 64;
constexpr uint64_t largest_ptx = uint64_t{1} << 28; // a damaged size must not exhaust memory

struct Wrapper {
  uint32_t magic, version;
  const uint8_t* data;
  const void* filename_or_containers;
};

template <typename T> T load(std::span<const uint8_t> bytes, uint64_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Error damaged(std::string what) {
  Error error;
  error.message = "damaged fat binary: " + std::move(what);
  error.remedy = "rebuild the program; if another tool packed or stripped it, use the file from before that";
  return error;
}

Result<FatbinEntry> read_entry(std::span<const uint8_t> bytes, uint64_t header, uint64_t payload) {
  const auto compressed = load<uint32_t>(bytes, 16);
  const auto flags = load<uint64_t>(bytes, 40);
  FatbinEntry entry;
  entry.kind = static_cast<FatbinEntry::Kind>(load<uint16_t>(bytes, 0));
  entry.sm = load<uint32_t>(bytes, 28);
  entry.exact = (flags & flag_exact) != 0;
  entry.family = (flags & flag_family) != 0;
  entry.payload = bytes.subspan(header, payload);
  if (compressed == 0) return entry;
  if (compressed > payload) return damaged("an entry's compressed size exceeds its payload");
  entry.payload = entry.payload.first(compressed);
  entry.uncompressed_size = load<uint64_t>(bytes, 56);
  if ((flags & flag_lz4) != 0) entry.compression = FatbinEntry::Compression::Lz4;
  if ((flags & flag_zstd) != 0) entry.compression = FatbinEntry::Compression::Zstd;
  if (entry.compression == FatbinEntry::Compression::None) return damaged("an entry uses an unknown compression");
  return entry;
}

// PTX payloads are padded with zeros to a multiple of eight.
std::string text_of(std::span<const uint8_t> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  return {bytes.begin(), end};
}

std::span<const uint8_t> container_at(const uint8_t* data) {
  const std::span header(data, container_header_size);
  if (load<uint32_t>(header, 0) != container_magic) return header;
  return {data, container_header_size + load<uint64_t>(header, 8)};
}

// clang's -fcuda-include-gpubinary embeds any file, so also plain PTX text.
bool looks_like_ptx(const uint8_t* data) {
  while (*data == ' ' || *data == '\t' || *data == '\n' || *data == '\r') ++data;
  return *data == '.' || (*data == '/' && (data[1] == '/' || data[1] == '*'));
}

Result<std::string> ptx_at(const uint8_t* data, unsigned sm) {
  if (data == nullptr) return damaged("a null pointer where device code is expected");
  if (looks_like_ptx(data)) return std::string(reinterpret_cast<const char*>(data));
  return ptx_of_container(container_at(data), sm);
}

// The parts of a program that nvcc linked (-rdc=true). The device runtime that it adds (libcudadevrt) brings machine
// code for every chip and PTX for the newest only: parts without PTX are left out as long as others have some.
Result<std::vector<std::string>> ptx_of_list(const uint8_t* const* containers, unsigned sm) {
  std::vector<std::string> texts;
  std::optional<Error> first_error;
  for (; *containers != nullptr; ++containers) {
    auto text = ptx_at(*containers, sm);
    if (text) {
      texts.push_back(std::move(*text));
    } else if (!first_error) {
      first_error = text.error();
    }
  }
  if (!texts.empty()) return texts;
  return first_error ? *first_error : damaged("an empty list of containers");
}

} // namespace

std::string FatbinContents::describe() const {
  std::set<std::string> parts;
  for (const FatbinEntry& entry : entries) {
    const std::string arch = std::to_string(entry.sm) + (entry.exact ? "a" : entry.family ? "f" : "");
    parts.insert(entry.kind == FatbinEntry::Kind::Ptx ? "PTX for compute_" + arch : "machine code for sm_" + arch);
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "nothing" : text;
}

Result<FatbinContents> read_container(std::span<const uint8_t> bytes) {
  if (bytes.size() < container_header_size) return damaged("shorter than its header");
  if (load<uint32_t>(bytes, 0) != container_magic) return damaged("no container magic");
  const auto header = load<uint16_t>(bytes, 6);
  const auto size = load<uint64_t>(bytes, 8);
  if (header < container_header_size || header > bytes.size()) return damaged("a container header of impossible size");
  if (size > bytes.size() - header) return damaged("the container is cut short");
  bytes = bytes.subspan(header, size);

  FatbinContents contents;
  while (!bytes.empty()) {
    if (bytes.size() < entry_header_size) return damaged("an entry is cut short");
    const auto entry_header = load<uint32_t>(bytes, 4);
    const auto payload = load<uint64_t>(bytes, 8);
    if (entry_header < entry_header_size || entry_header > bytes.size())
      return damaged("an entry header of impossible size");
    if (payload > bytes.size() - entry_header) return damaged("an entry's payload is cut short");
    auto entry = read_entry(bytes, entry_header, payload);
    if (!entry) return entry.error();
    contents.entries.push_back(*entry);
    bytes = bytes.subspan(entry_header + payload);
  }
  return contents;
}

Result<std::string> extract_ptx(const FatbinEntry& entry) {
  if (entry.compression == FatbinEntry::Compression::None) return text_of(entry.payload);
  if (entry.uncompressed_size == 0 || entry.uncompressed_size > largest_ptx) return damaged("an impossible PTX size");
  std::vector<uint8_t> text(entry.uncompressed_size);
  if (entry.compression == FatbinEntry::Compression::Lz4) {
    const int size =
        LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()), reinterpret_cast<char*>(text.data()),
                            static_cast<int>(entry.payload.size()), static_cast<int>(text.size()));
    if (size < 0) return damaged("LZ4 data cannot be decompressed");
    text.resize(static_cast<size_t>(size));
  } else {
    const size_t size = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
    if (ZSTD_isError(size) != 0) return damaged(std::string("zstd: ") + ZSTD_getErrorName(size));
    text.resize(size);
  }
  return text_of(text);
}

const FatbinEntry* choose_ptx(const FatbinContents& contents, unsigned sm) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : contents.entries) {
    if (entry.kind != FatbinEntry::Kind::Ptx || entry.sm > sm) continue;
    if (entry.exact && entry.sm != sm) continue;
    if (entry.family && entry.sm / 10 != sm / 10) continue;
    if (best == nullptr || entry.sm > best->sm || (entry.sm == best->sm && entry.exact)) best = &entry;
  }
  return best;
}

Result<std::string> ptx_of_container(std::span<const uint8_t> bytes, unsigned sm) {
  const auto contents = read_container(bytes);
  if (!contents) return contents.error();
  if (const FatbinEntry* entry = choose_ptx(*contents, sm)) return extract_ptx(*entry);
  unsigned lowest = 0;
  for (const FatbinEntry& entry : contents->entries) {
    if (entry.kind == FatbinEntry::Kind::Ptx && (lowest == 0 || entry.sm < lowest)) lowest = entry.sm;
  }
  Error error;
  error.message = "this program holds no PTX that runs on compute capability " + std::to_string(sm / 10) + "." +
                  std::to_string(sm % 10) + "; it holds " + contents->describe();
  error.remedy = "rebuild with `nvcc -cudart shared -gencode arch=compute_80,code=compute_80`";
  if (lowest != 0) error.remedy += ", or run it with --arch sm_" + std::to_string(lowest);
  return error;
}

Result<std::vector<std::string>> ptx_of_wrapper(const void* pointer, unsigned sm) {
  Wrapper wrapper{};
  std::memcpy(&wrapper, pointer, sizeof wrapper);
  if (wrapper.magic != wrapper_magic) return damaged("no wrapper magic");
  std::vector<std::string> texts;
  if (wrapper.version == 2 && wrapper.filename_or_containers != nullptr) {
    return ptx_of_list(static_cast<const uint8_t* const*>(wrapper.filename_or_containers), sm);
  }
  if (wrapper.version != 1 && wrapper.version != 2)
    return damaged("wrapper version " + std::to_string(wrapper.version));
  auto text = ptx_at(wrapper.data, sm);
  if (!text) return text.error();
  texts.push_back(std::move(*text));
  return texts;
}

Result<std::vector<std::string>> ptx_of_image(const void* image, unsigned sm) {
  uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == wrapper_magic) return ptx_of_wrapper(image, sm);
  auto text = ptx_at(static_cast<const uint8_t*>(image), sm);
  if (!text) return text.error();
  return std::vector<std::string>{std::move(*text)};
}

} // namespace tollgate::cudart
