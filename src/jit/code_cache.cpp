#include "jit/code_cache.h"

#include <llvm/Support/BLAKE3.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <unistd.h>

namespace tollgate::jit {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "tollgate code 2\n";
constexpr size_t kDigestBytes = 32;

std::string raw_digest(std::string_view bytes) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  auto result = hash.final<kDigestBytes>();
  return {reinterpret_cast<const char*>(result.data()), result.size()};
}

void put(std::string& out, uint64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

// Reads what put() wrote; `ok` turns false at the first thing that does not fit.
struct Reader {
  std::string_view rest;
  bool ok = true;

  uint64_t number() {
    uint64_t value = 0;
    ok = ok && rest.size() >= sizeof value;
    if (!ok) return 0;
    memcpy(&value, rest.data(), sizeof value);
    rest.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    uint64_t size = number();
    ok = ok && size <= rest.size();
    if (!ok) return {};
    std::string out(rest.substr(0, size));
    rest.remove_prefix(size);
    return out;
  }
};

} // namespace

std::string digest(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : raw_digest(bytes)) {
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

std::string build_id() {
  std::string id;
  auto visit = [](dl_phdr_info* info, size_t, void* out) {
    auto here = reinterpret_cast<uintptr_t>(&build_id);
    bool ours = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& p = info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + p.p_vaddr;
      ours |= p.p_type == PT_LOAD && here >= start && here < start + p.p_memsz;
    }
    if (!ours) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& p = info->dlpi_phdr[i];
      if (p.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr);
      const char* end = at + p.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const char* name = at + sizeof note;
        const char* data = name + (note.n_namesz + 3) / 4 * 4;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
          static_cast<std::string*>(out)->assign(data, note.n_descsz);
        at = data + (note.n_descsz + 3) / 4 * 4;
      }
    }
    return 1;
  };
  dl_iterate_phdr(visit, &id);
  return id;
}

std::string encode(const CachedCode& code) {
  std::string body;
  put(body, code.functions.size());
  for (const CachedFunction& f : code.functions) {
    put(body, f.name);
    put(body, f.frame_bytes);
    put(body, f.local_bytes);
    put(body, uint64_t(f.has_stops));
    put(body, f.whole_stops.size());
    for (const simd::WholeStop& s : f.whole_stops)
      for (uint32_t word : {s.label, s.site, s.op}) put(body, word);
  }
  put(body, code.object);
  return std::string(kMagic) + raw_digest(body) + body;
}

std::optional<CachedCode> decode(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kDigestBytes) return std::nullopt;
  std::string_view body = bytes.substr(kMagic.size() + kDigestBytes);
  if (bytes.substr(kMagic.size(), kDigestBytes) != raw_digest(body)) return std::nullopt;
  Reader in{body};
  CachedCode code;
  for (uint64_t count = in.number(); in.ok && count != 0; --count) {
    CachedFunction f;
    f.name = in.text();
    f.frame_bytes = uint32_t(in.number());
    f.local_bytes = in.number();
    f.has_stops = in.number() != 0;
    for (uint64_t stops = in.number(); in.ok && stops != 0; --stops) {
      simd::WholeStop& s = f.whole_stops.emplace_back();
      for (uint32_t* word : {&s.label, &s.site, &s.op}) *word = uint32_t(in.number());
    }
    code.functions.push_back(std::move(f));
  }
  code.object = in.text();
  if (!in.ok || !in.rest.empty() || code.functions.empty()) return std::nullopt;
  return code;
}

CodeCache CodeCache::from_environment() {
  auto variable = [](const char* name) -> std::string {
    const char* value = getenv(name);
    return value ? value : "";
  };
  if (variable("TOLLGATE_CACHE") == "off") return CodeCache("");
  if (std::string folder = variable("TOLLGATE_CACHE_DIR"); !folder.empty()) return CodeCache(folder);
  if (std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return CodeCache(folder + "/tollgate");
  if (std::string home = variable("HOME"); !home.empty()) return CodeCache(home + "/.cache/tollgate");
  return CodeCache("");
}

std::string CodeCache::path(std::string_view key) const { return folder_ + "/" + std::string(key) + ".tgc"; }

std::optional<CachedCode> CodeCache::load(std::string_view key) const {
  if (!enabled()) return std::nullopt;
  std::ifstream in(path(key), std::ios::binary | std::ios::ate);
  if (!in) return std::nullopt;
  auto size = in.tellg();
  if (size <= 0) return std::nullopt;
  std::string bytes(size_t(size), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), size)) return std::nullopt;
  auto code = decode(bytes);
  std::error_code ignored; // marks the entry as used, so that it is not the first to go
  if (code) fs::last_write_time(path(key), fs::file_time_type::clock::now(), ignored);
  return code;
}

void CodeCache::store(std::string_view key, const CachedCode& code) {
  if (!enabled()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return;
  if (stored_++ % 64 == 0) make_room();
  std::string bytes = encode(code);
  static std::atomic<unsigned> parts{0};
  std::string part = path(key) + "." + std::to_string(getpid()) + "." + std::to_string(parts++) + ".part";
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), std::streamsize(bytes.size()));
    out.flush();
    if (!out) {
      out.close();
      fs::remove(part, failed);
      return;
    }
  }
  fs::rename(part, path(key), failed);
  if (failed) fs::remove(part, failed);
}

// Removes the entries that were not used for longest until the folder is down to three quarters of its limit. Files
// that another process removes first are no concern.
void CodeCache::make_room() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    uint64_t bytes = 0;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code gone;
    auto extension = it->path().extension();
    if (extension != ".tgc" && extension != ".part") continue;
    Entry e{it->path(), it->last_write_time(gone), 0};
    if (!gone) e.bytes = it->file_size(gone);
    if (gone) continue;
    bool abandoned = extension == ".part" && fs::file_time_type::clock::now() - e.used > std::chrono::hours(1);
    if (abandoned) {
      fs::remove(e.path, gone);
      continue;
    }
    total += e.bytes;
    entries.push_back(std::move(e));
  }
  if (total <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& e : entries) {
    if (total <= most_bytes_ / 4 * 3) break;
    std::error_code gone;
    if (fs::remove(e.path, gone)) total -= e.bytes;
  }
}

} // namespace tollgate::jit
