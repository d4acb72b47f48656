// The list of instructions put to a real GPU (gpu_cases.txt) and the inputs they are given: the same for the GPU, which
// gpu_oracle.cpp asks, and for the test that compares.
#pragma once

#include "../unit/lower/samples.h"

#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tollgate::test {

struct GpuCase {
  std::string text;                 // "add.rn.f32 d, a, b"
  unsigned result_width = 32;       // bits of d; 1 for a predicate
  std::vector<std::string> sources; // sample classes: f32, u64, h2, count, ...
};

inline constexpr unsigned gpu_case_inputs = 1024;

// Lines "text | result width | sample class ...", '#' starts a comment.
inline std::vector<GpuCase> read_gpu_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<GpuCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t last = line.rfind('|'), first = line.rfind('|', last - 1); // a `d|p` has one as well
    if (last == std::string::npos || first == std::string::npos) throw std::runtime_error(path + ": " + line);
    GpuCase entry;
    entry.text = line.substr(0, first);
    while (!entry.text.empty() && entry.text.back() == ' ') entry.text.pop_back();
    entry.result_width = static_cast<unsigned>(std::stoul(line.substr(first + 1)));
    std::istringstream sources(line.substr(last + 1));
    for (std::string name; sources >> name;) entry.sources.push_back(name);
    cases.push_back(std::move(entry));
  }
  return cases;
}

inline unsigned sample_width(const std::string& name) {
  if (name == "pred") return 1;
  if (name == "f16" || name == "bf16" || name == "u16" || name == "b2") return 16;
  if (name == "f64" || name == "nearint64" || name == "u64") return 64;
  return 32;
}

inline std::vector<uint64_t> pair_up(const std::vector<uint64_t>& halves) {
  std::vector<uint64_t> pairs;
  for (size_t i = 0; i < halves.size(); ++i) pairs.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << 16);
  return pairs;
}

inline std::vector<uint64_t> samples_of(const std::string& name) {
  if (name == "f16") return float_samples(16, 10, 60);
  if (name == "bf16") return float_samples(16, 7, 60);
  if (name == "f32") return float_samples(32, 23, 60);
  if (name == "f64") return float_samples(64, 52, 60);
  if (name == "f16x2") return pair_up(float_samples(16, 10, 60));
  if (name == "bf16x2") return pair_up(float_samples(16, 7, 60));
  if (name == "pred") return {0, 1};
  if (name == "b2") return pair_up({0, 1, 0x3c, 0x40, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0xff, 0xfe, 0x08, 0x07});
  if (name == "count")
    return {0, 1, 2, 5, 7, 8, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 128, 255, 256, 257, 0x80000000, 0xffffffff};
  if (name == "nearint32") { // f32 around the limits of integer conversions
    std::vector<uint64_t> samples = float_samples(32, 23, 30);
    for (uint64_t exponent = 120; exponent < 200; ++exponent)
      for (uint64_t fraction : {0x000000, 0x400000, 0x600000, 0x7fffff, 0x200000}) {
        samples.push_back(exponent << 23 | fraction);
        samples.push_back(0x80000000 | exponent << 23 | fraction);
      }
    return samples;
  }
  if (name == "nearint64") {
    std::vector<uint64_t> samples = float_samples(64, 52, 30);
    for (uint64_t exponent = 1000; exponent < 1100; ++exponent)
      for (uint64_t fraction : {0x0ull, 0x8000000000000ull, 0xc000000000000ull, 0xfffffffffffffull, 0xffffffffull}) {
        samples.push_back(exponent << 52 | fraction);
        samples.push_back(uint64_t{1} << 63 | exponent << 52 | fraction);
      }
    return samples;
  }
  if (name == "u16") return integer_samples(16, 40);
  if (name == "u64") return integer_samples(64, 60);
  if (name == "u32") return integer_samples(32, 60);
  throw std::runtime_error("unknown sample class " + name);
}

// gpu_case_inputs rows of four words.
inline std::vector<uint64_t> inputs_of(const GpuCase& entry) {
  std::vector<uint64_t> inputs(gpu_case_inputs * 4);
  std::mt19937 random(20);
  for (size_t j = 0; j < entry.sources.size(); ++j) {
    const std::vector<uint64_t> samples = samples_of(entry.sources[j]);
    for (unsigned i = 0; i < gpu_case_inputs; ++i) {
      const bool single = entry.sources.size() == 1;
      inputs[i * 4 + j] = samples[single ? i % samples.size() : random() % samples.size()];
    }
  }
  return inputs;
}

inline uint64_t hash_of(const std::vector<uint64_t>& results) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t word : results)
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> 8 * byte & 255)) * 0x100000001b3;
  return hash;
}

} // namespace tollgate::test
