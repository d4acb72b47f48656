#include "compare.h"

#include <chrono>
#include <sstream>

namespace tollgate::differential {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + '\n';
  return out;
}

} // namespace

Verdict compare(EngineRunner& engine, const KernelCase& kernel) {
  Outcome expected = interpret(kernel, 1);
  if (!expected.failure.empty()) return {Verdict::Kind::IllDefined, expected.failure};
  Outcome again = interpret(kernel, 2);
  if (!(again == expected)) return {Verdict::Kind::IllDefined, "two schedules: " + difference(expected, again)};
  for (Observing observing : {Observing::Off, Observing::On}) {
    Outcome got = engine.run(kernel, observing);
    if (got == expected) continue;
    return {Verdict::Kind::Different,
            (observing == Observing::On ? "observed: " : "plain: ") + difference(expected, got)};
  }
  return {};
}

KernelCase minimise(KernelCase kernel, double seconds, const std::function<bool(const KernelCase&)>& differs) {
  auto start = std::chrono::steady_clock::now();
  auto late = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds; };
  auto try_text = [&](const std::vector<std::string>& lines) {
    KernelCase smaller = kernel;
    smaller.ptx = join(lines);
    if (!differs(smaller)) return false;
    kernel = smaller;
    return true;
  };
  auto try_shape = [&](std::array<uint32_t, 3> grid) {
    KernelCase smaller = kernel;
    smaller.grid = grid;
    if (differs(smaller)) kernel = smaller;
  };
  if (kernel.grid != std::array<uint32_t, 3>{1, 1, 1}) try_shape({1, 1, 1});
  std::vector<std::string> lines = split(kernel.ptx);
  for (size_t chunk = lines.size() / 2; chunk > 0; chunk = chunk == 1 && !late() ? 0 : chunk / 2) {
    bool dropped = true;
    while (dropped && !late()) {
      dropped = false;
      for (size_t at = 0; at < lines.size() && !late();) {
        std::vector<std::string> fewer = lines;
        size_t n = std::min(chunk, fewer.size() - at);
        fewer.erase(fewer.begin() + long(at), fewer.begin() + long(at + n));
        if (try_text(fewer)) {
          lines = fewer;
          dropped = true;
        } else {
          at += n;
        }
      }
      if (chunk > 1) break;
    }
  }
  return kernel;
}

} // namespace tollgate::differential
