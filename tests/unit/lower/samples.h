// Inputs for the tests: edge cases of every width, and a fixed pseudo-random sequence.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tollgate::test {

inline uint64_t low_bits(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

inline std::vector<uint64_t> integer_samples(unsigned width, unsigned random_count = 12) {
  std::vector<uint64_t> samples;
  const uint64_t top = uint64_t{1} << (width - 1);
  for (uint64_t value :
       {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{31}, uint64_t{32}, uint64_t{100}, ~uint64_t{0},
        ~uint64_t{1}, top, top - 1, top + 1, top >> 1, uint64_t{0x5555555555555555}, uint64_t{0x80}, uint64_t{0xff}})
    samples.push_back(low_bits(value, width));
  std::mt19937_64 random(width);
  for (unsigned i = 0; i < random_count; ++i) samples.push_back(low_bits(random() >> (random() % width), width));
  return samples;
}

// Zeros, subnormals, ones, extremes, infinities, NaNs with payloads, ties, and random patterns of a binary format.
inline std::vector<uint64_t> float_samples(unsigned width, unsigned mantissa, unsigned random_count = 24) {
  const uint64_t infinity = ((uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa;
  const uint64_t one = ((uint64_t{1} << (width - 2 - mantissa)) - 1) << mantissa;
  const uint64_t least_normal = uint64_t{1} << mantissa;
  std::vector<uint64_t> magnitudes = {0,
                                      1,
                                      2,
                                      3,
                                      least_normal - 1,
                                      least_normal,
                                      least_normal + 1,
                                      one - 1,
                                      one,
                                      one + 1,
                                      one + (least_normal >> 1),
                                      one + least_normal,
                                      infinity - 1,
                                      infinity,
                                      infinity + 1,
                                      infinity + (least_normal >> 1),
                                      infinity | (least_normal - 1)};
  std::mt19937_64 random(width * 64 + mantissa);
  for (unsigned i = 0; i < random_count; ++i) {
    magnitudes.push_back(low_bits(random(), width - 1));
    magnitudes.push_back(low_bits(one + (random() % (8 * least_normal)) - 4 * least_normal, width - 1)); // near one
  }
  std::vector<uint64_t> samples;
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    samples.push_back(magnitudes[i]);
    if (i < 17 || i % 3 == 0) samples.push_back(magnitudes[i] | uint64_t{1} << (width - 1));
  }
  return samples;
}

} // namespace tollgate::test
