#include "report/sarif.h"

#include "report/fingerprint.h"
#include "report/place.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace tollgate::report {

namespace fs = std::filesystem;
using observe::Finding;
using observe::Place;
using observe::Severity;
using observe::Side;
using observe::SourceFrame;

namespace {

constexpr const char* schema_uri =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* base_id = "SRCROOT";
constexpr size_t most_frames = 64;

// RFC 3986: everything but unreserved characters and the separator is escaped.
std::string percent_encoded(std::string_view path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || std::string_view("-._~/").find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

// "[text](1)" would be a link (3.11.6 of the standard).
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string upper_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// "barrier-divergent" -> "BarrierDivergent": the readable name of a rule is in Pascal case (3.49.7).
std::string pascal(const std::string& id) {
  std::string out;
  bool up = true;
  for (const char c : id) {
    if (c == '-')
      up = true;
    else
      out += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    if (c != '-') up = false;
  }
  return out;
}

class SarifWriter {
public:
  SarifWriter(const Report& report, const SarifOptions& options) : report_(report), options_(options) {}

  Json log() {
    Json results = Json::array();
    for (const auto& finding : report_.findings.all())
      results.push_back(result(finding, report_.compared ? "new" : ""));
    for (const auto& finding : report_.known) results.push_back(result(finding, "unchanged"));
    for (const auto& entry : report_.suppressed) results.push_back(suppressed(entry));

    Json run;
    run["tool"]["driver"] = driver();
    run["invocations"] = Json::array({invocation()});
    run["originalUriBaseIds"][base_id]["description"]["text"] =
        "the root of the repository, or the folder in which tollgate ran";
    run["artifacts"] = artifacts_;
    run["results"] = std::move(results);
    run["columnKind"] = "unicodeCodePoints";
    run["properties"]["tollgate"] = header_to_json(report_);
    Json log;
    log["$schema"] = schema_uri;
    log["version"] = "2.1.0";
    log["runs"] = Json::array({std::move(run)});
    return log;
  }

private:
  Json driver() {
    Json driver = {{"name", "tollgate"}, {"version", options_.version}, {"rules", Json::array()}};
    for (const auto& rule : options_.rules) add_rule(driver, rule);
    // A rule without a text must not make its findings unreadable.
    for (const auto& [id, index] : unlisted_) driver["rules"].push_back({{"id", id}});
    return driver;
  }

  static void add_rule(Json& driver, const SarifRule& rule) {
    Json json = {{"id", rule.id}, {"name", pascal(rule.id)}};
    json["shortDescription"]["text"] = rule.summary;
    json["fullDescription"]["text"] = rule.description;
    json["help"]["text"] = rule.help;
    json["defaultConfiguration"]["level"] = name(rule.severity);
    driver["rules"].push_back(std::move(json));
  }

  Json invocation() const {
    const Verdict verdict = report_.verdict();
    Json json = {{"executionSuccessful", verdict != Verdict::Error && report_.incomplete.empty()},
                 {"exitCode", report_.exit_code}};
    Json notes = Json::array();
    const auto add = [&](const char* level, const std::string& text) {
      notes.push_back({{"level", level}, {"message", {{"text", plain(text)}}}});
    };
    if (!report_.error.empty()) add("error", report_.error);
    for (const auto& reason : report_.incomplete) add("warning", reason);
    for (const auto& remark : report_.remarks) add("note", remark);
    if (!notes.empty()) json["toolExecutionNotifications"] = std::move(notes);
    return json;
  }

  size_t rule_index(const std::string& id) {
    const auto known =
        std::find_if(options_.rules.begin(), options_.rules.end(), [&](const auto& rule) { return rule.id == id; });
    if (known != options_.rules.end()) return static_cast<size_t>(known - options_.rules.begin());
    for (const auto& [unlisted, index] : unlisted_)
      if (unlisted == id) return index;
    unlisted_.emplace_back(id, options_.rules.size() + unlisted_.size());
    return unlisted_.back().second;
  }

  Json suppressed(const Suppressed& entry) {
    Json json = result(entry.finding, report_.compared ? "unchanged" : "");
    Json how = {
        {"kind", entry.in_source ? "inSource" : "external"}, {"status", "accepted"}, {"justification", entry.reason}};
    how["properties"]["by"] = entry.by;
    json["suppressions"] = Json::array({std::move(how)});
    return json;
  }

  Json result(const Finding& finding, const char* state) {
    Json json = {{"ruleId", finding.rule}, {"ruleIndex", rule_index(finding.rule)}, {"level", name(finding.severity)}};
    json["message"]["text"] = message(finding);
    json["locations"] = Json::array({location(finding.at, finding.kernel)});
    if (!finding.others.empty()) json["relatedLocations"] = Json::array();
    for (size_t i = 0; i < finding.others.size(); ++i) {
      Json related = {{"id", i + 1}};
      related.update(location(finding.others[i], finding.kernel));
      json["relatedLocations"].push_back(std::move(related));
    }
    if (Json stacks = stacks_of(finding); !stacks.empty()) json["stacks"] = std::move(stacks);
    json["occurrenceCount"] = std::max<uint64_t>(1, finding.count);
    json["partialFingerprints"][sarif_fingerprint] = fingerprint(finding, sources_);
    if (*state != '\0') json["baselineState"] = state;
    json["properties"]["tollgate"] = to_json(finding);
    return json;
  }

  // Related locations are shown by services only where the message links to them.
  static std::string message(const Finding& finding) {
    std::string text = upper_first(plain(finding.message)) + ".";
    if (!finding.at.role.empty()) text += " " + upper_first(plain(finding.at.role)) + ".";
    for (size_t i = 0; i < finding.others.size(); ++i) {
      const std::string& role = finding.others[i].role;
      text += " [" + upper_first(plain(role.empty() ? "the other place" : role)) + "](" + std::to_string(i + 1) + ").";
    }
    if (!finding.help.empty()) text += "\n" + upper_first(plain(finding.help)) + ".";
    return text;
  }

  Json location(const Side& side, const std::string& kernel) {
    Json json = Json::object();
    if (has_line(side.at)) {
      const SourceFrame& frame = side.at.stack[shown_frame(side.at)];
      json = frame_location(frame);
    } else if (!kernel.empty()) {
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", kernel}, {"kind", "function"}}});
    }
    std::string text = plain(side.role);
    if (!has_line(side.at) && side.at.ptx_line != 0)
      text += (text.empty() ? "" : "; ") + std::string("PTX line ") + std::to_string(side.at.ptx_line);
    if (!text.empty()) json["message"]["text"] = text;
    return json;
  }

  Json frame_location(const SourceFrame& frame) {
    Json json;
    Json& physical = json["physicalLocation"];
    physical["artifactLocation"] = artifact(frame.file);
    physical["region"]["startLine"] = frame.line;
    const auto line = sources_.line(frame.file, frame.line);
    if (frame.column != 0) physical["region"]["startColumn"] = characters(line, frame.column);
    if (frame.column != 0 && line) physical["region"]["endColumn"] = characters(line, word_end(*line, frame.column));
    if (line) physical["region"]["snippet"]["text"] = *line + "\n";
    if (!frame.function.empty())
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", frame.function}, {"kind", "function"}}});
    return json;
  }

  // From a column in bytes to one in characters.
  static unsigned characters(const std::optional<std::string>& line, unsigned column) {
    if (!line) return column;
    const std::string_view before = std::string_view(*line).substr(0, column - 1);
    return 1 + static_cast<unsigned>(std::count_if(before.begin(), before.end(), [](char c) {
             return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
           }));
  }

  // Behind the identifier that starts at the column, or behind one character.
  static unsigned word_end(const std::string& line, unsigned column) {
    size_t end = column - 1;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
    return std::max(static_cast<unsigned>(end), column) + 1;
  }

  // One stack for each place that was reached through calls.
  Json stacks_of(const Finding& finding) {
    Json stacks = Json::array();
    const auto add = [&](const Side& side) {
      if (side.at.stack.size() < 2) return;
      Json stack = {{"frames", Json::array()}};
      if (!side.role.empty()) stack["message"]["text"] = plain(side.role);
      for (size_t i = 0; i < std::min(side.at.stack.size(), most_frames); ++i)
        if (side.at.stack[i].line != 0) stack["frames"].push_back({{"location", frame_location(side.at.stack[i])}});
      stacks.push_back(std::move(stack));
    };
    add(finding.at);
    for (const auto& other : finding.others) add(other);
    return stacks;
  }

  Json artifact(const std::string& file) {
    const fs::path path = fs::path(file).is_absolute() ? fs::path(file).lexically_normal() : absolute(file);
    const fs::path inside = path.lexically_relative(options_.root);
    const bool below = !inside.empty() && *inside.begin() != ".." && inside != ".";
    Json location;
    location["uri"] =
        below ? percent_encoded(inside.generic_string()) : "file://" + percent_encoded(path.generic_string());
    if (below) location["uriBaseId"] = base_id;
    const auto [entry, fresh] = artifact_index_.try_emplace(location["uri"].get<std::string>(), artifacts_.size());
    if (fresh) artifacts_.push_back({{"location", location}});
    location["index"] = entry->second;
    return location;
  }

  static fs::path absolute(const std::string& file) {
    std::error_code ignored;
    return fs::absolute(file, ignored).lexically_normal();
  }

  const Report& report_;
  const SarifOptions& options_;
  SourceCache sources_;
  Json artifacts_ = Json::array();
  std::map<std::string, size_t> artifact_index_;
  std::vector<std::pair<std::string, size_t>> unlisted_;
};

void take_result(const Json& result, Finding finding, Report& report) {
  if (result.contains("suppressions") && !result.at("suppressions").empty()) {
    const Json& how = result.at("suppressions").at(0);
    report.suppressed.push_back({std::move(finding), how.value("kind", "") == "inSource",
                                 how.value("properties", Json::object()).value("by", ""),
                                 how.value("justification", "")});
  } else if (result.value("baselineState", "") == "unchanged") {
    report.compared = true;
    report.known.push_back(std::move(finding));
  } else {
    report.compared |= result.value("baselineState", "") == "new";
    report.findings.add(std::move(finding));
  }
}

} // namespace

Json to_sarif(const Report& report, const SarifOptions& options) { return SarifWriter(report, options).log(); }

Result<Report> report_from_sarif(const Json& json) {
  try {
    const Json& run = json.at("runs").at(0);
    auto report = header_from_json(run.at("properties").at("tollgate"));
    if (!report) return report;
    for (const auto& result : run.value("results", Json::array())) {
      auto finding = finding_from_json(result.at("properties").at("tollgate"));
      if (!finding) return finding.error();
      take_result(result, std::move(*finding), *report);
    }
    return report;
  } catch (const Json::exception& problem) {
    Error error;
    error.message = std::string("this SARIF log was not written by tollgate: ") + problem.what();
    return error;
  }
}

std::string repository_root(const std::string& from) {
  std::error_code ignored;
  for (fs::path folder = from; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return folder.string();
    if (folder == folder.parent_path()) break;
  }
  return from;
}

} // namespace tollgate::report
