#include "cli/host_lines.h"

#include "cli/process.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace tollgate::cli {

namespace {

// Such a program's addresses do not begin at zero, and where its first segment lies is not told.
bool is_fixed(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  char head[18] = {};
  in.read(head, sizeof head);
  constexpr char executable_type = 2; // ET_EXEC in e_type
  return in && head[16] == executable_type;
}

} // namespace

void find_host_line(observe::Finding& finding, const std::string& program, const std::string& executable) {
  const std::string& where = finding.at.object;
  const size_t plus = where.rfind("+0x");
  if (finding.rule != "device-pointer" || plus == std::string::npos || !finding.at.at.stack.empty()) return;
  const std::string named = where.substr(0, plus);
  const std::string& file = named == program ? executable : named;
  uint64_t offset = 0;
  const char* end = where.data() + where.size();
  if (std::from_chars(where.data() + plus + 3, end, offset, 16).ptr != end || is_fixed(file)) return;
  std::istringstream lines(output_of({"addr2line", "-C", "-f", "-i", "-e", file, where.substr(plus + 1)}));
  observe::Place place;
  for (std::string function, position; std::getline(lines, function) && std::getline(lines, position);) {
    const size_t colon = position.rfind(':');
    observe::SourceFrame frame;
    frame.function = function;
    frame.file = position.substr(0, colon);
    if (colon == std::string::npos || frame.file.starts_with("?")) return;
    std::from_chars(position.data() + colon + 1, position.data() + position.size(), frame.line);
    if (frame.line == 0) return;
    place.stack.push_back(std::move(frame));
  }
  finding.at.at = std::move(place);
}

} // namespace tollgate::cli
