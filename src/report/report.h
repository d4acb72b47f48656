// What a run of the tool says in the end: findings merged over all processes, kernels that ran, and the verdict.
#pragma once

#include "observe/finding.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tollgate::report {

struct KernelSummary {
  std::string name; // demangled
  uint64_t launches = 0, threads = 0;
  bool approximate = false; // an instruction ran whose result the PTX manual leaves some room for
};

// What one process says when it ends.
struct ProcessSummary {
  std::vector<KernelSummary> kernels;
  std::vector<std::string> incomplete; // why the verdict cannot be `clean`: forms outside the model, and where
};

enum class Verdict : uint8_t { Clean, Findings, Incomplete, Error };

[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::string_view name(observe::Severity severity);

// Findings in the order of their first appearance; the same rule at the same places is one finding with a count. No
// report grows without bound: of each severity the first `most_kept` distinct findings are kept, the others counted.
class FindingSet {
public:
  static constexpr size_t most_kept = 1000;
  static constexpr size_t most_places = 64; // of one finding

  struct Added {
    size_t index = 0;
    bool fresh = false; // seen for the first time
    bool kept = true;   // false: beyond the bound, and `index` means nothing
  };
  Added add(observe::Finding finding);

  [[nodiscard]] const std::vector<observe::Finding>& all() const { return findings_; }
  [[nodiscard]] size_t count(observe::Severity severity) const; // distinct findings, not occurrences
  [[nodiscard]] uint64_t dropped() const { return dropped_; }   // reported beyond the bound, repetitions included
  void add_dropped(uint64_t number) { dropped_ += number; }

  // Hands the findings over and starts anew; the number of those that were dropped stays.
  [[nodiscard]] std::vector<observe::Finding> take();

private:
  std::vector<observe::Finding> findings_;
  std::map<std::string, size_t> index_;
  std::array<size_t, 3> kept_{}; // by severity
  uint64_t dropped_ = 0;
};

// Somebody said that this finding is to be left alone.
struct Suppressed {
  observe::Finding finding;
  bool in_source = false; // by a comment beside the code; otherwise by an entry of a file
  std::string by;         // "tollgate.supp:3", "a.cu:12"
  std::string reason;
};

struct Report {
  std::string program;
  FindingSet findings;                 // those that count
  std::vector<observe::Finding> known; // those that stood in the baseline already
  std::vector<Suppressed> suppressed;
  bool compared = false;            // with a baseline
  std::string shard;                // "2/4"; empty: all launches
  std::vector<std::string> remarks; // on suppressions that matched nothing or could not be read
  std::vector<KernelSummary> kernels;
  std::vector<std::string> incomplete;
  std::string error;   // why the tool itself failed; empty otherwise
  bool checked = true; // `check` was asked for: only then may the text speak of "no finding"
  int exit_code = 0;

  // Distinct findings of the verdict: new and known ones.
  [[nodiscard]] size_t count(observe::Severity severity) const;
  // Everything that ran was modelled and the program came to its end.
  [[nodiscard]] bool complete() const;
  // An error outweighs a gap, a gap outweighs a warning: the exit code follows the same order.
  [[nodiscard]] Verdict verdict() const;
  void merge(const ProcessSummary& summary);
  void merge(Report other); // of another run; exit code and shard are the caller's to say
};

} // namespace tollgate::report
