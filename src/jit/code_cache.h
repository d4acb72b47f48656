// Machine code of earlier runs, kept on disk: one file for each compiled kernel, named by everything the code depends
// on.
//
// The folder is $TOLLGATE_CACHE_DIR, else $XDG_CACHE_HOME/tollgate, else ~/.cache/tollgate; TOLLGATE_CACHE=off turns
// the cache off. Whatever goes wrong with it (no folder, full disk, damaged or foreign files) costs a compilation and
// nothing else. Writers need no lock: an entry appears under its name only when it is complete.
#pragma once

#include "simd/widen.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::jit {

struct CachedFunction {
  std::string name; // of the step function
  uint32_t frame_bytes = 0;
  uint64_t local_bytes = 0;
  bool has_stops = false;
  std::vector<simd::WholeStop> whole_stops;
};

struct CachedCode {
  std::vector<CachedFunction> functions;
  std::string object; // an ELF object file
};

class CodeCache {
public:
  // `folder` empty: nothing is found and nothing is kept. `most_bytes`: the oldest entries go when the folder is
  // larger.
  explicit CodeCache(std::string folder, uint64_t most_bytes = uint64_t(1) << 30)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  static CodeCache from_environment();

  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  // `key` is a name made of hexadecimal digits.
  [[nodiscard]] std::optional<CachedCode> load(std::string_view key) const;
  void store(std::string_view key, const CachedCode& code);

private:
  [[nodiscard]] std::string path(std::string_view key) const;
  void make_room() const;

  std::string folder_;
  uint64_t most_bytes_;
  unsigned stored_ = 0;
};

// What distinguishes this build of the tool from any other: the linker's build id of the library that holds the code
// generator. Empty if it has none; then there is no cache.
[[nodiscard]] std::string build_id();

// A digest as 64 hexadecimal digits.
[[nodiscard]] std::string digest(std::string_view bytes);

// An entry as bytes and back; nullopt: damaged or of another version.
[[nodiscard]] std::string encode(const CachedCode& code);
[[nodiscard]] std::optional<CachedCode> decode(std::string_view bytes);

} // namespace tollgate::jit
