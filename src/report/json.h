// The stable JSON of findings, "tollgate-findings/1" (docs/rules.md). The same form is used for the lines that a
// checked process writes and for the report that a user reads.
#pragma once

#include "base/result.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

namespace tollgate::report {

using Json = nlohmann::ordered_json; // keys in the order of the documentation: stable, byte for byte

inline constexpr const char* findings_schema = "tollgate-findings/1";
inline constexpr const char* sarif_fingerprint = "tollgate/v1"; // the key of our fingerprint in SARIF

[[nodiscard]] Json to_json(const observe::Finding& finding);
[[nodiscard]] Json to_json(const KernelSummary& kernel);
[[nodiscard]] Json to_json(const Report& report);
// Everything but the findings: program, verdict, exit, kernels, and what else there is to say.
[[nodiscard]] Json header_to_json(const Report& report);

// Unknown keys are ignored and missing ones take their defaults; only a wrong type is an error.
[[nodiscard]] Result<observe::Finding> finding_from_json(const Json& json);
[[nodiscard]] Result<KernelSummary> kernel_from_json(const Json& json);
// The reverse of to_json and header_to_json.
[[nodiscard]] Result<Report> report_from_json(const Json& json);
[[nodiscard]] Result<Report> header_from_json(const Json& json);

// Text that came from a user's program or path may hold bytes that are not UTF-8: those are replaced, never fatal.
[[nodiscard]] std::string dump(const Json& json, int indent = -1);

} // namespace tollgate::report
