#include "checks/registry.h"

#include "checks/barrier/count.h"
#include "checks/barrier/divergence.h"
#include "checks/barrier/mismatch.h"
#include "checks/barrier/stuck.h"
#include "checks/bounds/bounds.h"
#include "checks/race/race_check.h"

namespace tollgate::checks {

std::vector<std::unique_ptr<observe::Observer>> make_observers(const Selection& selection, observe::FindingSink& sink,
                                                               const observe::MemoryMap& memory) {
  std::vector<std::unique_ptr<observe::Observer>> observers;
  observers.push_back(std::make_unique<StuckThreads>(sink, memory));
  observers.push_back(std::make_unique<Bounds>(sink, memory, selection.check));
  if (!selection.check) return observers;
  observers.push_back(std::make_unique<BarrierDivergence>(sink, memory));
  observers.push_back(std::make_unique<BarrierMismatch>(sink, memory));
  observers.push_back(std::make_unique<BarrierCount>(sink, memory));
  observers.push_back(std::make_unique<race::RaceCheck>(sink, memory));
  return observers;
}

} // namespace tollgate::checks
