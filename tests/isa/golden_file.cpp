#include "golden_file.h"

#include "gpu_cases.h"

#include <zstd.h>

#include <cstring>

namespace tollgate::test {
namespace {

std::vector<uint64_t> read_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  ZSTD_DStream* stream = ZSTD_createDStream();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string bytes, chunk(1 << 20, 0);
  while (in.pos < in.size) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const size_t status = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(status)) throw std::runtime_error(path + ": " + ZSTD_getErrorName(status));
    bytes.append(chunk, 0, out.pos);
    if (status == 0) break;
  }
  ZSTD_freeDStream(stream);
  std::vector<uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

} // namespace

Goldens read_goldens(const std::string& name) {
  const std::string base = std::string(TOLLGATE_ISA_DIR "/goldens/") + name;
  const std::vector<uint64_t> words = read_words(base + ".bin.zst");
  std::ifstream index(base + ".txt");
  Goldens goldens;
  size_t at = 0;
  for (std::string line; std::getline(index, line);) {
    std::istringstream fields(line);
    uint64_t hash = 0;
    size_t count = 0;
    fields >> std::hex >> hash >> std::dec >> count;
    std::string text;
    std::getline(fields >> std::ws, text);
    if (at + count > words.size()) throw std::runtime_error(base + ": words are missing for " + text);
    std::vector<uint64_t> answers(words.begin() + long(at), words.begin() + long(at + count));
    at += count;
    if (hash_of(answers) != hash) throw std::runtime_error(base + ": damaged answers for " + text);
    goldens.emplace(text, std::move(answers));
  }
  return goldens;
}

} // namespace tollgate::test
