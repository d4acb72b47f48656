#include "checks/thread_set.h"

#include <algorithm>

namespace tollgate::checks {

namespace {

struct Range {
  uint32_t first, last;
};

std::vector<Range> ranges_of(const std::vector<uint32_t>& sorted) {
  std::vector<Range> ranges;
  for (const uint32_t thread : sorted) {
    if (!ranges.empty() && ranges.back().last + 1 == thread)
      ranges.back().last = thread;
    else
      ranges.push_back({thread, thread});
  }
  return ranges;
}

// "0, 2, 4, ..., 254": at least four single threads at one distance.
bool evenly_spaced(const std::vector<uint32_t>& sorted) {
  if (sorted.size() < 4 || sorted[1] - sorted[0] < 2) return false;
  for (size_t i = 2; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] != sorted[1] - sorted[0]) return false;
  return true;
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

} // namespace

std::string thread_name(uint32_t linear, const std::array<uint32_t, 3>& dim) {
  const bool flat = dim[1] <= 1 && dim[2] <= 1;
  if (flat) return std::to_string(linear);
  const uint32_t x = linear % std::max(1u, dim[0]), rest = linear / std::max(1u, dim[0]);
  const uint32_t y = rest % std::max(1u, dim[1]), z = rest / std::max(1u, dim[1]);
  std::string out = "(" + std::to_string(x) + "," + std::to_string(y);
  if (dim[2] > 1) out += "," + std::to_string(z);
  return out + ")";
}

std::string thread_set(std::vector<uint32_t> threads, const std::array<uint32_t, 3>& dim, size_t most_ranges) {
  if (threads.empty()) return "";
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  const auto named = [&](uint32_t thread) { return thread_name(thread, dim); };
  if (threads.size() == 1) return "thread " + named(threads.front());
  if (evenly_spaced(threads))
    return "threads " + named(threads[0]) + ", " + named(threads[1]) + ", " + named(threads[2]) + ", ..., " +
           named(threads.back());

  const std::vector<Range> ranges = ranges_of(threads);
  std::vector<std::string> parts;
  for (size_t i = 0; i < ranges.size() && i < most_ranges; ++i)
    parts.push_back(ranges[i].first == ranges[i].last ? named(ranges[i].first)
                                                      : named(ranges[i].first) + "-" + named(ranges[i].last));
  if (ranges.size() <= most_ranges) return "threads " + join(parts);
  std::string out = "threads ";
  for (const auto& part : parts) out += part + ", ";
  return out + "... (" + std::to_string(threads.size()) + " threads" + ")";
}

} // namespace tollgate::checks
