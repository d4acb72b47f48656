// The yardstick: plain loops in C++, compiled for this machine, on one thread or two.
#include "problem.h"

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

} // namespace

std::vector<Entry> native_entries() {
  std::vector<Entry> entries;
  for (const unsigned threads : {1u, 2u}) {
    const std::string suffix = "/native" + std::to_string(threads);
    entries.push_back({"hist256" + suffix, hist_bytes, [=] { return std::make_unique<Histogram>(threads); }});
    entries.push_back({"saxpy" + suffix, saxpy_traffic, [=] { return std::make_unique<Saxpy>(threads); }});
    entries.push_back({"reduce" + suffix, reduce_traffic, [=] { return std::make_unique<Reduce>(threads); }});
  }
  return entries;
}

} // namespace bench
