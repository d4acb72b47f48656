#include "report/json.h"

#include "report/fingerprint.h"
#include "report/place.h"

namespace tollgate::report {

using observe::Finding;
using observe::Place;
using observe::Severity;
using observe::Side;
using observe::SourceFrame;
using observe::ThreadIndex;

namespace {

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

Suppressed suppressed_from_json(const Json& json, Finding finding) {
  return {std::move(finding), json.value("in_source", false), json.value("by", ""), json.value("reason", "")};
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
  Json json = {{"rule", finding.rule}, {"severity", name(finding.severity)}, {"message", finding.message},
               {"help", finding.help}, {"kernel", finding.kernel},           {"count", finding.count}};
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
  if (!finding.details.empty()) json["details"] = finding.details;
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
    finding.details = json.value("details", std::vector<std::string>{});
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

Json header_to_json(const Report& report) {
  Json json = {{"schema", findings_schema},
               {"program", report.program},
               {"verdict", name(report.verdict())},
               {"exit", report.exit_code}};
  if (!report.shard.empty()) json["shard"] = report.shard;
  json["kernels"] = Json::array();
  for (const auto& kernel : report.kernels) json["kernels"].push_back(to_json(kernel));
  if (!report.incomplete.empty()) json["incomplete"] = report.incomplete;
  if (!report.remarks.empty()) json["remarks"] = report.remarks;
  if (report.findings.dropped() != 0) json["dropped"] = report.findings.dropped();
  if (!report.error.empty()) json["error"] = report.error;
  return json;
}

Json to_json(const Report& report) {
  SourceCache sources;
  const auto with_fingerprint = [&](const Finding& finding) {
    Json json = to_json(finding);
    json["fingerprint"] = fingerprint(finding, sources);
    return json;
  };
  const Json header = header_to_json(report);
  Json json;
  for (const auto& [key, value] : header.items()) {
    if (key == "kernels") { // the findings stand before the kernels
      json["findings"] = Json::array();
      for (const auto& finding : report.findings.all()) json["findings"].push_back(with_fingerprint(finding));
      if (report.compared) json["known"] = Json::array();
      for (const auto& finding : report.known) json["known"].push_back(with_fingerprint(finding));
      for (const auto& entry : report.suppressed) {
        Json finding = with_fingerprint(entry.finding);
        finding["suppression"] = {{"in_source", entry.in_source}, {"by", entry.by}, {"reason", entry.reason}};
        json["suppressed"].push_back(std::move(finding));
      }
    }
    json[key] = value;
  }
  return json;
}

Result<Report> header_from_json(const Json& json) {
  return guarded<Report>("report", [&]() -> Result<Report> {
    Report report;
    report.program = json.value("program", "");
    report.exit_code = json.value("exit", 0);
    report.shard = json.value("shard", "");
    report.incomplete = json.value("incomplete", std::vector<std::string>{});
    report.remarks = json.value("remarks", std::vector<std::string>{});
    report.findings.add_dropped(json.value("dropped", uint64_t{0}));
    report.error = json.value("error", "");
    for (const auto& entry : json.value("kernels", Json::array())) {
      auto kernel = kernel_from_json(entry);
      if (!kernel) return kernel.error();
      report.kernels.push_back(std::move(*kernel));
    }
    return report;
  });
}

Result<Report> report_from_json(const Json& json) {
  auto report = header_from_json(json);
  if (!report) return report;
  return guarded<Report>("report", [&]() -> Result<Report> {
    report->compared = json.contains("known");
    for (const char* list : {"findings", "known", "suppressed"})
      for (const auto& entry : json.value(list, Json::array())) {
        auto finding = finding_from_json(entry);
        if (!finding) return finding.error();
        if (list == std::string_view("findings"))
          report->findings.add(std::move(*finding));
        else if (list == std::string_view("known"))
          report->known.push_back(std::move(*finding));
        else
          report->suppressed.push_back(
              suppressed_from_json(entry.value("suppression", Json::object()), std::move(*finding)));
      }
    return std::move(*report);
  });
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

} // namespace tollgate::report
