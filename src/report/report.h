// What a run of the tool says in the end: findings merged over all processes, kernels that ran, and the verdict.
#pragma once

#include "observe/finding.h"

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

// Findings in the order of their first appearance; the same rule at the same places is one finding with a count.
class FindingSet {
public:
  // Returns the index of the finding and whether it is a new one.
  std::pair<size_t, bool> add(observe::Finding finding);
  void set_count(size_t index, uint64_t count) { findings_[index].count = count; }

  [[nodiscard]] const std::vector<observe::Finding>& all() const { return findings_; }
  [[nodiscard]] size_t count(observe::Severity severity) const; // distinct findings, not occurrences

private:
  std::vector<observe::Finding> findings_;
  std::map<std::string, size_t> index_;
};

struct Report {
  std::string program;
  FindingSet findings;
  std::vector<KernelSummary> kernels;
  std::vector<std::string> incomplete;
  std::string error;   // why the tool itself failed; empty otherwise
  bool checked = true; // `check` was asked for: only then may the text speak of "no finding"
  int exit_code = 0;

  // Everything that ran was modelled and the program came to its end.
  [[nodiscard]] bool complete() const;
  // An error outweighs a gap, a gap outweighs a warning: the exit code follows the same order.
  [[nodiscard]] Verdict verdict() const;
  void merge(const ProcessSummary& summary);
};

} // namespace tollgate::report
