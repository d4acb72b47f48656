// The yardstick: plain loops in C++, compiled for this machine, on one thread or two.
#include "problem.h"

#include <cmath>
#include <thread>

namespace bench {

namespace {

// Calls work(begin, end, part) for `threads` equal parts of [0, count), the last on this thread.
template <typename Work> void in_parts(size_t count, unsigned threads, Work work) {
  std::vector<std::thread> others;
  for (unsigned part = 0; part + 1 < threads; ++part)
    others.emplace_back(work, count / threads * part, count / threads * (part + 1), part);
  work(count / threads * (threads - 1), count, threads - 1);
  for (auto& thread : others) thread.join();
}

class Histogram : public Runner {
public:
  explicit Histogram(unsigned threads) : threads_(threads), bins_(256) {}

  void run() override {
    std::vector<std::vector<int32_t>> parts(threads_, std::vector<int32_t>(256));
    const uint8_t* data = hist_input().data();
    in_parts(hist_bytes, threads_, [&](size_t begin, size_t end, unsigned part) {
      int32_t* bins = parts[part].data();
      for (size_t i = begin; i < end; ++i) ++bins[data[i]];
    });
    bins_.assign(256, 0);
    for (const auto& part : parts)
      for (size_t bin = 0; bin < 256; ++bin) bins_[bin] += part[bin];
  }
  bool right() override { return hist_right(bins_); }

private:
  unsigned threads_;
  std::vector<int32_t> bins_;
};

class Saxpy : public Runner {
public:
  explicit Saxpy(unsigned threads) : threads_(threads), y_(saxpy_y()) {}

  void run() override {
    const float* x = saxpy_x().data();
    float* y = y_.data();
    in_parts(floats, threads_, [=](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) y[i] = saxpy_factor * x[i] + y[i];
    });
    ++runs_;
  }
  bool right() override { return saxpy_right(y_, runs_); }

private:
  unsigned threads_;
  uint64_t runs_ = 0;
  std::vector<float> y_;
};

class Reduce : public Runner {
public:
  explicit Reduce(unsigned threads) : threads_(threads), sums_(float_blocks) {}

  void run() override {
    const float* in = reduce_input().data();
    in_parts(float_blocks, threads_, [&](size_t begin, size_t end, unsigned) {
      for (size_t block = begin; block < end; ++block) sums_[block] = sum(in + block * block_threads);
    });
  }
  bool right() override { return reduce_right(sums_); }

private:
  // Sixteen partial sums, since the compiler may not reorder additions of floats by itself.
  static float sum(const float* in) {
    float lanes[16] = {};
    for (unsigned i = 0; i < block_threads; i += 16)
      for (unsigned lane = 0; lane < 16; ++lane) lanes[lane] += in[i + lane];
    float total = 0;
    for (const float lane : lanes) total += lane;
    return total;
  }

  unsigned threads_;
  std::vector<float> sums_;
};

class Transpose : public Runner {
public:
  explicit Transpose(unsigned threads) : threads_(threads), out_(floats) {}

  void run() override {
    const float* in = saxpy_x().data();
    float* out = out_.data();
    in_parts(matrix_side / tile_side, threads_, [=](size_t begin, size_t end, unsigned) {
      for (size_t rows = begin * tile_side; rows < end * tile_side; rows += tile_side)
        for (size_t columns = 0; columns < matrix_side; columns += tile_side)
          for (size_t y = rows; y < rows + tile_side; ++y)
            for (size_t x = columns; x < columns + tile_side; ++x) out[x * matrix_side + y] = in[y * matrix_side + x];
    });
  }
  bool right() override { return transpose_right(out_); }

private:
  unsigned threads_;
  std::vector<float> out_;
};

class Nbody : public Runner {
public:
  explicit Nbody(unsigned threads) : threads_(threads), in_(4), out_(size_t{bodies} * 4) {
    for (size_t k = 0; k < 4; ++k)
      for (size_t i = 0; i < bodies; ++i) in_[k].push_back(body_input()[4 * i + k]);
  }

  void run() override {
    in_parts(bodies / group, threads_, [this](size_t begin, size_t end, unsigned) {
      for (size_t first = begin * group; first < end * group; first += group) accelerate(first);
    });
  }
  bool right() override { return nbody_right(out_); }

private:
  static constexpr size_t group = 16; // bodies side by side in vector registers

  void accelerate(size_t first) {
    float x[group] = {}, y[group] = {}, z[group] = {};
    const float *px = in_[0].data(), *py = in_[1].data(), *pz = in_[2].data(), *mass = in_[3].data();
    for (size_t j = 0; j < bodies; ++j)
      for (size_t k = 0; k < group; ++k) {
        const float dx = px[j] - px[first + k], dy = py[j] - py[first + k], dz = pz[j] - pz[first + k];
        const float inverse = 1.0F / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
        const float pull = mass[j] * inverse * inverse * inverse;
        x[k] += dx * pull;
        y[k] += dy * pull;
        z[k] += dz * pull;
      }
    for (size_t k = 0; k < group; ++k) {
      out_[4 * (first + k)] = x[k];
      out_[4 * (first + k) + 1] = y[k];
      out_[4 * (first + k) + 2] = z[k];
    }
  }

  unsigned threads_;
  std::vector<std::vector<float>> in_;
  std::vector<float> out_;
};

} // namespace

std::vector<Entry> native_entries() {
  std::vector<Entry> entries;
  for (const unsigned threads : {1u, 2u}) {
    const std::string suffix = "/native" + std::to_string(threads);
    entries.push_back({"hist256" + suffix, hist_bytes, [=] { return std::make_unique<Histogram>(threads); }});
    entries.push_back({"saxpy" + suffix, saxpy_traffic, [=] { return std::make_unique<Saxpy>(threads); }});
    entries.push_back({"reduce" + suffix, reduce_traffic, [=] { return std::make_unique<Reduce>(threads); }});
    entries.push_back({"transpose" + suffix, transpose_traffic, [=] { return std::make_unique<Transpose>(threads); }});
    entries.push_back({"nbody" + suffix, nbody_traffic, [=] { return std::make_unique<Nbody>(threads); }});
  }
  return entries;
}

} // namespace bench
