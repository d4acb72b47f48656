#include "engine/config.h"

#include "base/tame_numbers.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace tollgate::engine {

std::string to_json(const Config& config) {
  const nlohmann::ordered_json json = {{"mode", config.mode == Config::Mode::Check ? "check" : "run"},
                                       {"workers", config.workers},
                                       {"seed", config.seed},
                                       {"sm", config.sm},
                                       {"multiprocessors", config.multiprocessors},
                                       {"timeout_seconds", config.timeout_seconds},
                                       {"report_path", config.report_path},
                                       {"unoptimised", config.unoptimised},
                                       {"kernel_filter", config.kernel_filter},
                                       {"enabled", config.enabled},
                                       {"model", config.ptx_model ? "ptx" : "cuda"},
                                       {"races", config.races},
                                       {"shard", config.shard},
                                       {"shards", config.shards}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Config> config_from_json(std::string_view text) {
  try {
    auto json = nlohmann::json::parse(text);
    tame_numbers(json);
    Config config;
    config.mode = json.value("mode", "run") == "check" ? Config::Mode::Check : Config::Mode::Run;
    config.workers = json.value("workers", config.workers);
    config.seed = json.value("seed", config.seed);
    config.sm = json.value("sm", config.sm);
    config.multiprocessors = json.value("multiprocessors", config.multiprocessors);
    config.timeout_seconds = json.value("timeout_seconds", config.timeout_seconds);
    config.report_path = json.value("report_path", config.report_path);
    config.unoptimised = json.value("unoptimised", config.unoptimised);
    config.kernel_filter = json.value("kernel_filter", config.kernel_filter);
    config.enabled = json.value("enabled", config.enabled);
    config.ptx_model = json.value("model", "cuda") == "ptx";
    config.races = json.value("races", config.races);
    config.shard = json.value("shard", config.shard);
    config.shards = json.value("shards", config.shards);
    return config;
  } catch (const nlohmann::json::exception& problem) {
    Error error;
    error.message = std::string(config_variable) + " is not what `tollgate run` writes: " + problem.what();
    error.remedy = "start the program with `tollgate run PROG`, or unset the variable";
    return error;
  }
}

Result<Config> config_from_environment() {
  const char* text = std::getenv(config_variable);
  if (text == nullptr || *text == '\0') return Config{};
  return config_from_json(text);
}

} // namespace tollgate::engine
