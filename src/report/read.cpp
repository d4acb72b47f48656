#include "report/read.h"

#include "base/tame_numbers.h"
#include "report/json.h"
#include "report/process_report.h"
#include "report/sarif.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace tollgate::report {

namespace {

constexpr std::string_view remedy = "give reports that tollgate wrote with --format json or --format sarif";

Error named(Error error, const std::string& name) {
  if (error.file.empty()) error.file = name;
  if (error.remedy.empty()) error.remedy = remedy;
  return error;
}

Error unreadable(const std::string& name, std::string message) {
  Error error;
  error.message = std::move(message);
  return named(std::move(error), name);
}

Result<Report> from_process(std::string_view text, const std::string& name) {
  std::istringstream lines{std::string(text)};
  auto process = read_process_report(lines, name);
  if (!process) return named(process.error(), name);
  Report report;
  report.program = process->program;
  for (auto& finding : process->findings) report.findings.add(std::move(finding));
  report.findings.add_dropped(process->dropped);
  report.merge(process->summary);
  if (!process->finished || process->replaced)
    report.incomplete.push_back("process " + std::to_string(process->pid) +
                                " ended without its summary: what it did last is not known");
  return report;
}

} // namespace

Result<Report> parse_report(std::string_view text, const std::string& name) {
  // A process report is the only form with one object a line.
  const std::string_view first = text.substr(0, text.find('\n'));
  if (const Json line = Json::parse(first, nullptr, false); line.is_object() && line.contains("kind"))
    return from_process(text, name);
  try {
    Json json = Json::parse(text);
    tame_numbers(json);
    if (!json.is_object()) return unreadable(name, "this is no report of tollgate");
    auto report =
        json.contains("runs") ? report_from_sarif(json)
        : json.value("schema", "") == findings_schema
            ? report_from_json(json)
            : Result<Report>(Error{
                  .message = "this is no report of tollgate", .remedy = {}, .file = {}, .position = {}, .excerpt = {}});
    return report ? std::move(report) : named(report.error(), name);
  } catch (const Json::exception& problem) {
    return unreadable(name, std::string("not JSON: ") + problem.what());
  }
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  constexpr size_t most = size_t{512} << 20; // /dev/zero has no end
  std::string text;
  std::vector<char> part(1 << 16);
  while (file && text.size() <= most) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<size_t>(file.gcount()));
  }
  Error error;
  if (file.bad() || !file.is_open()) {
    error.message = "cannot read " + path + ": " + std::strerror(errno == 0 ? EIO : errno);
    error.remedy = "look at the path and its permissions";
    return error;
  }
  if (text.size() > most) {
    error.message = "cannot read " + path + ": it is longer than 512 MiB";
    error.remedy = "is it the file that was meant?";
    return error;
  }
  return text;
}

} // namespace tollgate::report
