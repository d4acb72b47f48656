#include "report/fingerprint.h"

#include "report/place.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>

namespace tollgate::report {

namespace {

std::string without_spaces(const std::string& line) {
  std::string out;
  std::copy_if(line.begin(), line.end(), std::back_inserter(out),
               [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
  return out;
}

std::string place_text(const observe::Place& place, const std::string& kernel, SourceCache& sources) {
  if (!has_line(place)) return kernel + "@" + std::to_string(place.ptx_line);
  const observe::SourceFrame& frame = place.stack[shown_frame(place)];
  const std::string name = frame.file.substr(frame.file.find_last_of('/') + 1);
  const auto line = sources.line(frame.file, frame.line);
  return name + "|" + frame.function + "|" + (line ? without_spaces(*line) : std::to_string(frame.line));
}

// FNV-1a, 64 bits: what matters is that it is the same everywhere.
uint64_t hash(const std::string& text) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

} // namespace

std::string fingerprint(const observe::Finding& finding, SourceCache& sources) {
  std::vector<std::string> places{place_text(finding.at.at, finding.kernel, sources)};
  for (const auto& other : finding.others) places.push_back(place_text(other.at, finding.kernel, sources));
  std::sort(places.begin(), places.end()); // which of two accesses came first is a matter of the schedule
  std::string text = finding.rule;
  for (const auto& place : places) text += "\n" + place;
  const bool nowhere = !has_line(finding.at.at) && finding.at.at.ptx_line == 0;
  if (nowhere) text += "\n" + finding.at.object; // a call of the host
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash(text)));
  return digits;
}

} // namespace tollgate::report
