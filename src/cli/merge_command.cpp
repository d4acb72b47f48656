// tollgate merge: several reports as one: the shards of a long check, or the tests of a project.
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/session.h"
#include "report/read.h"
#include "report/write_file.h"

#include <CLI/CLI.hpp>

#include <map>
#include <set>

namespace tollgate::cli {

namespace {

using report::Report;

// "2/4" of one program: all four have to be there, or something was not checked.
class Shards {
public:
  void add(const Report& part) {
    const size_t slash = part.shard.find('/');
    if (slash == std::string::npos) return;
    auto& [total, seen] = programs_[part.program];
    total = std::max(total, std::atoi(part.shard.c_str() + slash + 1));
    seen.insert(std::atoi(part.shard.c_str()));
  }

  void report_missing(Report& merged) const {
    constexpr int most_named = 16;
    for (const auto& [program, shards] : programs_) {
      std::string missing;
      int named = 0;
      for (int shard = 1; shard <= shards.total && named < most_named; ++shard)
        if (!shards.seen.contains(shard)) {
          missing += (missing.empty() ? "" : ", ") + std::to_string(shard) + "/" + std::to_string(shards.total);
          ++named;
        }
      if (!missing.empty())
        merged.incomplete.push_back(program + ": the report of shard " + missing +
                                    (named == most_named ? ", ..." : "") + " is missing");
    }
  }

private:
  struct Seen {
    int total = 0;
    std::set<int> seen;
  };
  std::map<std::string, Seen> programs_;
};

class MergeCommand final : public Command {
public:
  MergeCommand() : Command("merge", "Several reports as one: shards of a check, or tests of a project") {}

  void options(CLI::App& app) override {
    app.add_option("REPORT", files_,
                   "Reports in JSON or SARIF, or what a killed run left in TMPDIR/tollgate-*/*.jsonl");
    declare_output(app, output_);
    declare_decisions(app, fail_on_, error_exitcode_, suppression_files_, baseline_);
  }

  int run() override {
    if (files_.empty()) return refuse({}, "no report was given", "tollgate merge [OPTIONS] REPORT...");
    auto decisions = read_decisions(suppression_files_, baseline_);
    if (!decisions) return refuse(decisions.error());
    if (!output_.file.empty())
      if (auto writable = report::can_write(output_.file); !writable)
        return refuse(writable.error(), "", "", exit_tool_failed);

    Report merged;
    Shards shards;
    for (const auto& file : files_) {
      const auto text = report::read_file(file);
      if (!text) return refuse(text.error());
      auto part = report::parse_report(*text, file);
      if (!part) return refuse(part.error());
      shards.add(*part);
      merged.merge(std::move(*part));
    }
    shards.report_missing(merged);
    report::SourceCache sources;
    report::apply(std::move(*decisions), merged, sources);
    merged.exit_code = merged.error.empty() ? exit_code_for(merged, fail_on_, error_exitcode_, 0) : exit_tool_failed;
    return emit(merged, output_) ? merged.exit_code : exit_tool_failed;
  }

private:
  static int refuse(Error error, const std::string& message = "", const std::string& remedy = "",
                    int code = exit_usage) {
    if (!message.empty()) error.message = message;
    if (!remedy.empty()) error.remedy = remedy;
    const std::string help = std::exchange(error.remedy, "");
    print_error(error.to_string(), help);
    return code;
  }

  std::vector<std::string> files_, suppression_files_;
  std::string baseline_;
  Output output_;
  FailOn fail_on_;
  int error_exitcode_ = exit_findings;
} merge_command;

} // namespace

} // namespace tollgate::cli
