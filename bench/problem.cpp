#include "problem.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace bench {

namespace {

std::vector<uint8_t> random_bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  uint64_t state = 0x9e3779b97f4a7c15u; // xorshift64*
  for (auto& byte : bytes) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    byte = static_cast<uint8_t>((state * 0x2545f4914f6cdd1du) >> 56);
  }
  return bytes;
}

std::vector<float> small_floats(size_t count, unsigned modulus) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7919 % modulus);
  return values;
}

} // namespace

const std::vector<uint8_t>& hist_input() {
  static const auto bytes = random_bytes(hist_bytes);
  return bytes;
}
const std::vector<float>& saxpy_x() {
  static const auto values = small_floats(floats, 5);
  return values;
}
const std::vector<float>& saxpy_y() {
  static const auto values = small_floats(floats, 11);
  return values;
}
const std::vector<float>& reduce_input() {
  static const auto values = small_floats(floats, 31);
  return values;
}

const std::vector<float>& body_input() {
  static const auto values = [] {
    std::vector<float> out = small_floats(size_t{bodies} * 4, 1009);
    for (auto& v : out) v = v / 1009.0F + 0.01F;
    return out;
  }();
  return values;
}

const std::vector<float>& product_left() {
  static const auto values = small_floats(size_t{product_side} * product_side, 7);
  return values;
}
const std::vector<float>& product_right_hand() {
  static const auto values = small_floats(size_t{product_side} * product_side, 13);
  return values;
}

bool hist_right(const std::vector<int32_t>& bins) {
  static const auto expected = [] {
    std::array<int32_t, 256> counts{};
    for (const uint8_t byte : hist_input()) ++counts[byte];
    return counts;
  }();
  return bins.size() == 256 && std::equal(bins.begin(), bins.end(), expected.begin());
}

bool saxpy_right(const std::vector<float>& y, uint64_t runs) {
  const float factor = saxpy_factor * static_cast<float>(runs);
  for (size_t i = 0; i < floats; ++i)
    if (y[i] != saxpy_y()[i] + factor * saxpy_x()[i]) return false;
  return y.size() == floats;
}

bool reduce_right(const std::vector<float>& block_sums) {
  for (size_t block = 0; block < float_blocks; ++block) {
    float sum = 0;
    for (size_t i = 0; i < block_threads; ++i) sum += reduce_input()[block * block_threads + i];
    if (block_sums[block] != sum) return false;
  }
  return block_sums.size() == float_blocks;
}

bool transpose_right(const std::vector<float>& out) {
  if (out.size() != floats) return false;
  for (size_t row = 0; row < matrix_side; ++row)
    for (size_t column = 0; column < matrix_side; ++column)
      if (out[column * matrix_side + row] != saxpy_x()[row * matrix_side + column]) return false;
  return true;
}

bool product_right(const std::vector<float>& out) {
  const auto &a = product_left(), &b = product_right_hand();
  if (out.size() != a.size()) return false;
  for (size_t row = 0; row < product_side; row += 37) { // a sample
    std::vector<float> sums(product_side);
    for (size_t k = 0; k < product_side; ++k)
      for (size_t column = 0; column < product_side; ++column)
        sums[column] += a[row * product_side + k] * b[k * product_side + column];
    if (!std::equal(sums.begin(), sums.end(), out.begin() + static_cast<ptrdiff_t>(row * product_side))) return false;
  }
  return true;
}

bool nbody_right(const std::vector<float>& accelerations) {
  if (accelerations.size() != size_t{bodies} * 4) return false;
  const float* body = body_input().data();
  for (size_t i = 0; i < bodies; i += 61) { // a sample: the reference is slow
    std::array<double, 3> sum{};
    for (size_t j = 0; j < bodies; ++j) {
      std::array<double, 3> d{};
      double square = softening;
      for (size_t k = 0; k < 3; ++k) {
        d[k] = double{body[4 * j + k]} - double{body[4 * i + k]};
        square += d[k] * d[k];
      }
      for (size_t k = 0; k < 3; ++k) sum[k] += d[k] * double{body[4 * j + 3]} / (square * std::sqrt(square));
    }
    const double length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (size_t k = 0; k < 3; ++k)
      if (!(std::abs(double{accelerations[4 * i + k]} - sum[k]) <= 1e-4 * length)) return false;
  }
  return true;
}

} // namespace bench
