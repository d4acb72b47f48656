// What the parts of the atlas share: rows of results, and time.
#pragma once
#include "../must.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace atlas {

// One measured number with what it was measured for, as a line of JSON.
class Row {
public:
  explicit Row(const char* part) { text("part", part); }
  Row& text(const char* name, const std::string& value) { return raw(name, "\"" + value + "\""); }
  Row& number(const char* name, double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.6g", value);
    return raw(name, digits);
  }
  const std::string& line() const { return line_; }

private:
  Row& raw(const char* name, const std::string& value) {
    line_ += (line_.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
    return *this;
  }
  std::string line_;
};

std::vector<std::string>& rows();
inline void add(const Row& row) { rows().push_back("{" + row.line() + "}"); }

// Milliseconds of work(), the median of `repeats`.
template <class F> double milliseconds(F work, int repeats = 3) {
  static cudaEvent_t start = nullptr, stop = nullptr;
  if (start == nullptr) {
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
  }
  std::vector<float> times(repeats);
  for (float& time : times) {
    MUST(cudaEventRecord(start));
    work();
    MUST(cudaEventRecord(stop));
    MUST(cudaGetLastError());
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&time, start, stop));
  }
  std::sort(times.begin(), times.end());
  return times[repeats / 2];
}

void measure_atomics();
void measure_barriers();
void measure_ladder();

} // namespace atlas
