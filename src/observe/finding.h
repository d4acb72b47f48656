// What a checker says. Checkers emit findings; report/ alone dedupes, suppresses, maps lines and renders.
#pragma once

#include "observe/site.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tollgate::observe {

enum class Severity : uint8_t { Note, Warning, Error };

struct ThreadIndex {
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> thread{};
};

// One side of a finding: where, what it did, to which object, and which threads were seen doing it.
struct Side {
  Place at;
  std::string role;   // a short label for the caret line: "threads 0-99 of block (0,0,0) wait here"
  std::string access; // "read", "write", "atomic"; empty where no access is meant
  uint32_t bytes = 0;
  std::string object;  // "shared h+12", "4,096-byte allocation +4,100"; empty if none
  ThreadIndex thread;  // one example
  std::string threads; // grouped: "threads 0-31 and 40 of block 0"
};

struct Finding {
  std::string rule; // a name of docs/rules.md
  Severity severity = Severity::Error;
  std::string message; // one sentence: what is wrong and why
  std::string help;    // one sentence: what to change
  std::string kernel;  // demangled
  uint64_t count = 1;
  Side at;
  std::vector<Side> others; // the other place(s), if several met
  std::vector<std::string> notes;
  std::vector<std::string> details; // one line each, for those who ask (--verbose): the state of every thread
  bool revised = false;             // the same finding again, now with more threads: replaces what was said before
};

class FindingSink {
public:
  virtual ~FindingSink() = default;
  virtual void report(Finding finding) = 0;
};

} // namespace tollgate::observe
