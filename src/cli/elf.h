// The little of ELF that the command line needs before a program starts: what it links to and what CUDA it carries.
// 64-bit little endian only; every offset is checked against the size of the file.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::cli {

class ElfFile {
public:
  // nullopt: not an ELF file of this machine's kind (a script, a text, a foreign binary).
  static std::optional<ElfFile> open(const std::string& path);

  [[nodiscard]] const std::vector<std::string>& needed() const { return needed_; }
  [[nodiscard]] const std::string& rpath() const { return rpath_; }     // DT_RPATH: searched before LD_LIBRARY_PATH
  [[nodiscard]] const std::string& runpath() const { return runpath_; } // DT_RUNPATH: searched after it
  [[nodiscard]] bool dynamic() const { return dynamic_; } // a loader is named: no library, not linked statically
  [[nodiscard]] bool position_independent_executable() const { return pie_; } // also where no loader is named
  [[nodiscard]] bool needs(std::string_view prefix) const;                    // a needed library whose name starts so
  [[nodiscard]] bool defines(std::string_view symbol) const;
  [[nodiscard]] bool imports(std::string_view symbol) const;
  [[nodiscard]] std::span<const uint8_t> section(std::string_view name) const; // empty if absent

private:
  struct Section {
    std::string name;
    uint32_t type = 0, link = 0;
    uint64_t offset = 0, size = 0, entry = 0;
  };

  bool read();
  void read_sections();
  void read_dynamic();
  [[nodiscard]] bool has_symbol(std::string_view name, bool defined) const;
  [[nodiscard]] std::span<const uint8_t> bytes(uint64_t offset, uint64_t size) const;
  [[nodiscard]] std::string_view text_at(const Section& table, uint64_t offset) const;

  std::shared_ptr<const uint8_t> mapping_; // programs may be large: pages are read when they are looked at
  std::span<const uint8_t> data_;
  std::vector<Section> sections_;
  std::vector<std::string> needed_;
  std::string rpath_, runpath_;
  bool dynamic_ = false, pie_ = false;
};

} // namespace tollgate::cli
