#include "cli/elf.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tollgate::cli {

namespace {

template <typename T> T read_at(std::span<const uint8_t> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

} // namespace

std::optional<ElfFile> ElfFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status{};
  void* mapped = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= off_t{sizeof(Elf64_Ehdr)})
    mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return std::nullopt;
  const auto size = static_cast<size_t>(status.st_size);
  ElfFile file;
  file.mapping_ = {static_cast<const uint8_t*>(mapped),
                   [size](const uint8_t* start) { munmap(const_cast<uint8_t*>(start), size); }};
  file.data_ = {file.mapping_.get(), size};
  return std::memcmp(mapped, ELFMAG, SELFMAG) == 0 && file.read() ? std::optional(std::move(file)) : std::nullopt;
}

std::span<const uint8_t> ElfFile::bytes(uint64_t offset, uint64_t size) const {
  if (offset > data_.size() || size > data_.size() - offset) return {};
  return data_.subspan(offset, size);
}

std::string_view ElfFile::text_at(const Section& table, uint64_t offset) const {
  const auto content = bytes(table.offset, table.size);
  if (offset >= content.size()) return {};
  const auto* start = reinterpret_cast<const char*>(content.data() + offset);
  return {start, strnlen(start, content.size() - offset)};
}

bool ElfFile::read() {
  const auto header = read_at<Elf64_Ehdr>(data_);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto raw = bytes(header.e_phoff + uint64_t{i} * header.e_phentsize, sizeof(Elf64_Phdr));
    if (raw.empty()) break;
    dynamic_ |= read_at<Elf64_Phdr>(raw).p_type == PT_INTERP;
  }
  read_sections();
  read_dynamic();
  return true;
}

void ElfFile::read_sections() {
  const auto header = read_at<Elf64_Ehdr>(data_);
  std::vector<uint32_t> names;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto raw = bytes(header.e_shoff + uint64_t{i} * header.e_shentsize, sizeof(Elf64_Shdr));
    if (raw.empty()) break;
    const auto section = read_at<Elf64_Shdr>(raw);
    names.push_back(section.sh_name);
    sections_.push_back({"", section.sh_type, section.sh_link, section.sh_offset, section.sh_size, section.sh_entsize});
  }
  if (header.e_shstrndx >= sections_.size()) return;
  for (size_t i = 0; i < sections_.size(); ++i) sections_[i].name = text_at(sections_[header.e_shstrndx], names[i]);
}

void ElfFile::read_dynamic() {
  for (const auto& section : sections_) {
    if (section.type != SHT_DYNAMIC || section.link >= sections_.size()) continue;
    const auto content = bytes(section.offset, section.size);
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= content.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(content.subspan(at));
      const std::string text(text_at(sections_[section.link], entry.d_un.d_val));
      if (entry.d_tag == DT_NEEDED) needed_.push_back(text);
      if (entry.d_tag == DT_RPATH) rpath_ = text;
      if (entry.d_tag == DT_RUNPATH) runpath_ = text;
      if (entry.d_tag == DT_FLAGS_1) pie_ = (entry.d_un.d_val & DF_1_PIE) != 0;
      if (entry.d_tag == DT_NULL) break;
    }
  }
}

bool ElfFile::needs(std::string_view prefix) const {
  return std::any_of(needed_.begin(), needed_.end(), [&](const auto& name) { return name.starts_with(prefix); });
}

bool ElfFile::has_symbol(std::string_view name, bool defined) const {
  for (const auto& section : sections_) {
    if ((section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) || section.link >= sections_.size()) continue;
    const auto content = bytes(section.offset, section.size);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= content.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(content.subspan(at));
      if ((symbol.st_shndx != SHN_UNDEF) != defined) continue;
      std::string_view text = text_at(sections_[section.link], symbol.st_name);
      if (text.substr(0, text.find('@')) == name) return true;
    }
  }
  return false;
}

bool ElfFile::defines(std::string_view symbol) const { return has_symbol(symbol, true); }
bool ElfFile::imports(std::string_view symbol) const { return has_symbol(symbol, false); }

std::span<const uint8_t> ElfFile::section(std::string_view name) const {
  for (const auto& section : sections_)
    if (section.name == name && section.type != SHT_NOBITS) return bytes(section.offset, section.size);
  return {};
}

} // namespace tollgate::cli
