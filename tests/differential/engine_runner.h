// Runs one kernel case on the engine (as `run` and as `check` compile it) and on the interpreter.
#pragma once

#include "kernel_case.h"

#include <memory>
#include <string>
#include <vector>

namespace tollgate::differential {

// What a run leaves behind: memory, or why there is none.
struct Outcome {
  std::string failure;
  std::vector<uint8_t> out, sums;
  bool operator==(const Outcome&) const = default;
};

enum class Observing : uint8_t { Off, On };

class EngineRunner {
public:
  EngineRunner();
  ~EngineRunner();
  Outcome run(const KernelCase& kernel, Observing observing);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// `schedule` also decides what uninitialised shared and local memory holds.
Outcome interpret(const KernelCase& kernel, uint64_t schedule);

// Where two outcomes differ, in words.
std::string difference(const Outcome& a, const Outcome& b);

} // namespace tollgate::differential
