// The list of checkers: which observers watch a launch under a given configuration.
#pragma once

#include "observe/observer.h"

#include <memory>
#include <string>
#include <vector>

namespace tollgate::checks {

struct Selection {
  bool check = false; // all checks; otherwise only those that need no hooks in the code (deadlocks and faults)
  bool races = true;  // among all checks
  std::vector<std::string> enabled = {}; // rules that are off by default
  bool ptx_model = false;                // races by the letter of the PTX manual
};

[[nodiscard]] std::vector<std::unique_ptr<observe::Observer>>
make_observers(const Selection& selection, observe::FindingSink& sink, const observe::MemoryMap& memory);

} // namespace tollgate::checks
