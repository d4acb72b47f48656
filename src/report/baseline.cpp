#include "report/baseline.h"

#include "base/tame_numbers.h"
#include "report/json.h"

namespace tollgate::report {

namespace {

Error not_a_report(const std::string& name, std::string message) {
  Error error;
  error.message = std::move(message);
  error.remedy = "make one with `tollgate check --format json --output FILE PROG`";
  error.file = name;
  return error;
}

void take_findings(const Json& json, Baseline& baseline) {
  for (const char* list : {"findings", "known"})
    for (const auto& finding : json.value(list, Json::array()))
      ++baseline.known[finding.at("fingerprint").get<std::string>()];
}

void take_results(const Json& json, Baseline& baseline) {
  for (const auto& run : json.at("runs"))
    for (const auto& result : run.value("results", Json::array()))
      if (!result.contains("suppressions") && result.value("baselineState", "") != "absent")
        ++baseline.known[result.at("partialFingerprints").at(sarif_fingerprint).get<std::string>()];
}

} // namespace

Result<Baseline> parse_baseline(std::string_view text, const std::string& name) {
  Baseline baseline;
  baseline.name = name;
  try {
    Json json = Json::parse(text);
    tame_numbers(json);
    if (!json.is_object()) return not_a_report(name, "this is no report of tollgate");
    if (json.value("schema", "") == findings_schema)
      take_findings(json, baseline);
    else if (json.contains("runs"))
      take_results(json, baseline);
    else
      return not_a_report(name, "this is no report of tollgate");
  } catch (const Json::parse_error& problem) {
    return not_a_report(name, std::string("not JSON: ") + problem.what());
  } catch (const Json::exception& problem) {
    return not_a_report(name, std::string("a finding without its fingerprint, or of another form: ") + problem.what());
  }
  return baseline;
}

} // namespace tollgate::report
