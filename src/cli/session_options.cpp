#include "cli/session.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace tollgate::cli {

namespace {

// The usage that CLI11 would print knows nothing of PROG.
class SessionFormatter final : public CLI::Formatter {
public:
  SessionFormatter() { column_width(34); }
  std::string make_usage(const CLI::App* app, std::string) const override {
    const std::string start = "tollgate " + app->get_name() + " [OPTIONS] ";
    return "Usage: " + start + "PROG [ARGS...]\n       " + start + "FILE.cu [[NVCC OPTIONS...] --] [ARGS...]\n";
  }
};

// CLI11's own checks print tables and 300-digit numbers.
struct PositiveSeconds final : CLI::Validator {
  PositiveSeconds() {
    func_ = [](std::string& text) {
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool good = error == std::errc() && end == text.data() + text.size() && value > 0 && value < 1e9;
      return good ? std::string() : "'" + text + "' is no number of seconds greater than 0";
    };
  }
};

struct Architecture final : CLI::Validator {
  Architecture() {
    func_ = [](std::string& text) -> std::string {
      constexpr std::array known{"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"};
      if (std::find(known.begin(), known.end(), text) != known.end()) return "";
      const std::string list = "sm_75, sm_80, sm_86, sm_87, sm_89 or sm_90";
      if (text == "sm_90a") return "what sm_90a has beyond sm_90 is not modelled: write sm_90";
      return "'" + text + "' is no architecture that is modelled: write " + list;
    };
  }
};

struct WholeNumber final : CLI::Validator {
  WholeNumber() {
    func_ = [](std::string& text) {
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool good = error == std::errc() && end == text.data() + text.size();
      return good ? std::string() : "'" + text + "' is no whole number from 0 to 18446744073709551615";
    };
  }
};

template <typename T> struct Choice final : CLI::Validator {
  explicit Choice(std::map<std::string, T> words) {
    func_ = [words = std::move(words)](std::string& text) {
      auto it = words.find(text);
      if (it != words.end()) {
        text = std::to_string(int(it->second));
        return std::string();
      }
      std::string known;
      for (const auto& [word, value] : words) known += (known.empty() ? "" : ", ") + word;
      return "'" + text + "' is none of " + known;
    };
  }
};

bool parse_shard(const std::string& text, unsigned& shard, unsigned& shards) {
  const char* end = text.data() + text.size();
  const auto [slash, bad_shard] = std::from_chars(text.data(), end, shard);
  if (bad_shard != std::errc() || slash == end || *slash != '/') return false;
  const auto [rest, bad_shards] = std::from_chars(slash + 1, end, shards);
  return bad_shards == std::errc() && rest == end && shard >= 1 && shard <= shards && shards <= 65536;
}

} // namespace

void declare_output(CLI::App& app, Output& output) {
  app.add_option("--format", output.format, "Form of the report: text, json, or sarif (2.1.0)")
      ->transform(Choice<Format>({{"text", Format::Text}, {"json", Format::Json}, {"sarif", Format::Sarif}}))
      ->type_name("FORM")
      ->option_text("text|json|sarif");
  app.add_option("--output,-o", output.file, "Write the report to FILE; %p becomes the program's process id")
      ->check(CLI::Validator(
          [](std::string& file) { return file.empty() ? std::string("the name of the file is empty") : std::string(); },
          ""))
      ->option_text("FILE");
  app.add_option("--color", output.color, "Colour in text: auto, always or never")
      ->transform(Choice<report::ColorMode>({{"auto", report::ColorMode::Auto},
                                             {"always", report::ColorMode::Always},
                                             {"never", report::ColorMode::Never}}))
      ->option_text("auto|always|never");
  app.add_flag("--verbose,-v", output.verbose,
               "Text: the state of every thread at a deadlock, and what was suppressed or known");
}

void declare_decisions(CLI::App& app, FailOn& fail_on, int& error_exitcode, std::vector<std::string>& suppression_files,
                       std::string& baseline) {
  app.add_option_function<std::string>(
         "--fail-on",
         [&fail_on](const std::string& text) {
           auto parsed = parse_fail_on(text, rule_names());
           if (!parsed) throw CLI::ValidationError(parsed.error().to_string());
           fail_on = std::move(*parsed);
         },
         "What sets the exit code: a severity and worse (error), never, or rules: error,race-*")
      ->option_text("WHAT");
  app.add_option("--error-exitcode", error_exitcode, "The exit code for a finding (99)")
      ->check(CLI::Range(1, 255))
      ->option_text("N");
  app.add_option("--suppressions", suppression_files,
                 "A file that says which findings are accepted; may be given again")
      ->option_text("FILE")
      ->allow_extra_args(false);
  app.add_option("--baseline", baseline, "An earlier report in JSON or SARIF: only findings that it lacks fail")
      ->option_text("FILE");
}

void SessionOptions::declare(CLI::App& app) {
  // Everything from PROG on belongs to the program, as with every tool that starts another.
  app.prefix_command();
  app.formatter(std::make_shared<SessionFormatter>());

  declare_output(app, output);
  declare_decisions(app, fail_on, error_exitcode, suppression_files, baseline);
  app.add_option("--timeout", timeout_seconds, "End the program after so many seconds; the report is still printed")
      ->check(PositiveSeconds())
      ->option_text("SECONDS");
  app.add_option("--seed", seed, "Order in which blocks, warps and groups of lanes take turns (0)")
      ->check(WholeNumber())
      ->option_text("N");
  app.add_option("--threads", threads, "Host threads that run blocks; check always uses one (all processors)")
      ->check(CLI::Range(1u, 1024u))
      ->option_text("N");
  app.add_option("--arch", arch,
                 "The device to be: sm_75, sm_80, sm_86, sm_87, sm_89 or sm_90 (sm_80, or what the program needs)")
      ->check(Architecture())
      ->option_text("sm_XX");
  app.add_option("--kernel", kernel_filter, "Look only at kernels whose name matches this regular expression")
      ->option_text("REGEX");
  app.add_option_function<std::string>(
         "--shard",
         [this](const std::string& text) {
           if (!parse_shard(text, shard, shards))
             throw CLI::ValidationError("--shard: '" + text + "' is no part: write 1/4, 2/4, ...");
         },
         "Check only every Nth kernel launch, from the Ith on; `tollgate merge` joins the reports")
      ->option_text("I/N");
  app.add_option("--launch", launch, "For a .ptx file: 'kernel<<<grid,block>>>(arguments)'")->option_text("LAUNCH");
  app.add_option("--nvcc-flag,--compile-option", nvcc_flags, "For a .cu file: one more option for the compiler")
      ->option_text("FLAG")
      ->allow_extra_args(false); // once for each: PROG must not be swallowed
  app.add_option("--runtime-dir", runtime_dir, "Where the replacement libcudart lies (beside tollgate)")
      ->option_text("DIR");
  if (mode != engine::Config::Mode::Check) return;
  app.add_option("--enable", enabled,
                 "Report a rule that is off by default as well: lockstep-hazard; may be given again")
      ->check(CLI::IsMember({"lockstep-hazard"}))
      ->option_text("RULE")
      ->allow_extra_args(false);
  app.add_option("--schedules", schedules,
                 "Run the program so many times, with seeds from --seed on, and report the findings of all (1)")
      ->check(CLI::Range(1u, 1000u))
      ->option_text("N");
  app.add_option("--model", ptx_model, "Races by the habits of CUDA (cuda), or by the letter of the PTX manual (ptx)")
      ->transform(Choice<int>({{"cuda", 0}, {"ptx", 1}}))
      ->option_text("cuda|ptx");
  app.add_flag("--no-races", no_races, "Do not look for races: all other checks cost far less time and memory");
  app.add_flag("--as-built", as_built, "Compile a .cu file with the optimiser on, as a build would");
}

} // namespace tollgate::cli
