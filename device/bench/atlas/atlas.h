// What the parts of the atlas share: rows of results, and time.
#pragma once
#include "../timing.h"

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

using bench::milliseconds;

void measure_atomics();
void measure_barriers();
void measure_ladder();

} // namespace atlas
