// engine::Config as JSON, the form in which the command line hands it to the program's process:
//
//   TOLLGATE_CONFIG={"mode":"check","workers":1,"seed":0,"sm":80,"multiprocessors":4,"timeout_seconds":0,
//                    "report_path":"/tmp/x/%p.jsonl","unoptimised":true,"kernel_filter":"","enabled":[],"model":"cuda",
//                    "races":true,"shard":0,"shards":0}
//
// Every key may be missing; unknown keys are ignored, so that an older runtime accepts a newer command line.
#pragma once

#include "engine/engine.h"

#include <string>
#include <string_view>

namespace tollgate::engine {

inline constexpr const char* config_variable = "TOLLGATE_CONFIG";

[[nodiscard]] std::string to_json(const Config& config);
[[nodiscard]] Result<Config> config_from_json(std::string_view text);
// From the environment; the default configuration if the variable is not set.
[[nodiscard]] Result<Config> config_from_environment();

} // namespace tollgate::engine
