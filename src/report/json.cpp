#include "report/json.h"

#include "report/place.h"

namespace tollgate::report {

using observe::Finding;
using observe::Place;
using observe::Severity;
using observe::Side;
using observe::SourceFrame;
using observe::ThreadIndex;

namespace {

constexpr const char* findings_schema = "tollgate-findings/1";

Json frame_to_json(const SourceFrame& frame) {
  return {{"file", frame.file}, {"line", frame.line}, {"column", frame.column}, {"function", frame.function}};
}

SourceFrame frame_from_json(const Json& json) {
  return {json.value("file", ""), json.value("line", 0u), json.value("column", 0u), json.value("function", "")};
}

// The place itself is the user's own line; the stack holds everything, innermost first.
Json place_to_json(const Place& place) {
  Json json = frame_to_json(place.stack.empty() ? SourceFrame{} : place.stack[shown_frame(place)]);
  json["stack"] = Json::array();
  for (const auto& frame : place.stack) json["stack"].push_back(frame_to_json(frame));
  json["ptx"] = {{"module", place.ptx_name}, {"line", place.ptx_line}, {"instruction", place.instruction}};
  return json;
}

Place place_from_json(const Json& json) {
  Place place;
  for (const auto& frame : json.value("stack", Json::array())) place.stack.push_back(frame_from_json(frame));
  if (place.stack.empty() && json.value("line", 0u) != 0) place.stack.push_back(frame_from_json(json));
  const Json ptx = json.value("ptx", Json::object());
  place.ptx_name = ptx.value("module", "");
  place.ptx_line = ptx.value("line", 0u);
  place.instruction = ptx.value("instruction", "");
  return place;
}

// All fields are always there; "access" is empty where no access is meant.
void put_side(Json& json, const Side& side) {
  json["at"] = place_to_json(side.at);
  json["role"] = side.role;
  json["access"] = side.access;
  json["bytes"] = side.bytes;
  json["object"] = side.object;
  json["thread"] = {{"block", side.thread.block}, {"thread", side.thread.thread}};
  json["threads"] = side.threads;
}

Side side_from_json(const Json& json) {
  Side side;
  side.at = place_from_json(json.value("at", Json::object()));
  side.role = json.value("role", "");
  side.access = json.value("access", "");
  side.bytes = json.value("bytes", 0u);
  side.object = json.value("object", "");
  const Json thread = json.value("thread", Json::object());
  side.thread.block = thread.value("block", std::array<uint32_t, 3>{});
  side.thread.thread = thread.value("thread", std::array<uint32_t, 3>{});
  side.threads = json.value("threads", "");
  return side;
}

Severity severity_from(const std::string& text) {
  if (text == "note") return Severity::Note;
  return text == "warning" ? Severity::Warning : Severity::Error;
}

template <typename T, typename Read> Result<T> guarded(const char* what, Read read) {
  try {
    return read();
  } catch (const Json::exception& problem) {
    Error error;
    error.message = std::string("not a ") + what + ": " + problem.what();
    return error;
  }
}

} // namespace

Json to_json(const Finding& finding) {
  Json json = {{"rule", finding.rule},       {"severity", name(finding.severity)}, {"message", finding.message},
               {"help", finding.help},       {"kernel", finding.kernel},           {"count", finding.count}};
  put_side(json, finding.at);
  if (!finding.others.empty()) {
    put_side(json["other"], finding.others.front());
    // "other" is the common case of two; a third place and more follow here.
    for (size_t i = 1; i < finding.others.size(); ++i) {
      Json more;
      put_side(more, finding.others[i]);
      json["more"].push_back(std::move(more));
    }
  }
  if (!finding.notes.empty()) json["notes"] = finding.notes;
  return json;
}

Result<Finding> finding_from_json(const Json& json) {
  return guarded<Finding>("finding", [&] {
    Finding finding;
    finding.rule = json.at("rule").get<std::string>();
    finding.severity = severity_from(json.value("severity", "error"));
    finding.message = json.value("message", "");
    finding.help = json.value("help", "");
    finding.kernel = json.value("kernel", "");
    finding.count = json.value("count", uint64_t{1});
    finding.at = side_from_json(json);
    if (json.contains("other")) finding.others.push_back(side_from_json(json.at("other")));
    for (const auto& more : json.value("more", Json::array())) finding.others.push_back(side_from_json(more));
    finding.notes = json.value("notes", std::vector<std::string>{});
    return finding;
  });
}

Json to_json(const KernelSummary& kernel) {
  return {{"name", kernel.name},
          {"launches", kernel.launches},
          {"threads", kernel.threads},
          {"fidelity", kernel.approximate ? "approximate" : "exact"}};
}

Result<KernelSummary> kernel_from_json(const Json& json) {
  return guarded<KernelSummary>("kernel summary", [&] {
    return KernelSummary{json.at("name").get<std::string>(), json.value("launches", uint64_t{0}),
                         json.value("threads", uint64_t{0}), json.value("fidelity", "exact") == "approximate"};
  });
}

Json to_json(const Report& report) {
  Json json = {{"schema", findings_schema},
               {"program", report.program},
               {"verdict", name(report.verdict())},
               {"exit", report.exit_code}};
  json["findings"] = Json::array();
  for (const auto& finding : report.findings.all()) json["findings"].push_back(to_json(finding));
  json["kernels"] = Json::array();
  for (const auto& kernel : report.kernels) json["kernels"].push_back(to_json(kernel));
  if (!report.incomplete.empty()) json["incomplete"] = report.incomplete;
  if (!report.error.empty()) json["error"] = report.error;
  return json;
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace tollgate::report
