#include "checks/registry.h"

#include "checks/atomic/cas_loop.h"
#include "checks/barrier/count.h"
#include "checks/barrier/divergence.h"
#include "checks/barrier/mismatch.h"
#include "checks/barrier/stuck.h"
#include "checks/bounds/bounds.h"
#include "checks/host/device_pointer.h"
#include "checks/mbarrier/misuse.h"
#include "checks/memory/uninitialized.h"
#include "checks/progress/co_residency.h"
#include "checks/progress/lockstep.h"
#include "checks/race/race_check.h"
#include "checks/warp/inactive_source.h"
#include "checks/warp/mask.h"

#include <algorithm>

namespace tollgate::checks {

std::vector<std::unique_ptr<observe::Observer>> make_observers(const Selection& selection, observe::FindingSink& sink,
                                                               const observe::MemoryMap& memory) {
  std::vector<std::unique_ptr<observe::Observer>> observers;
  observers.push_back(std::make_unique<StuckThreads>(sink, memory));
  observers.push_back(std::make_unique<Bounds>(sink, memory, selection.check));
  observers.push_back(std::make_unique<DevicePointer>(sink, memory));
  observers.push_back(std::make_unique<WarpMask>(sink, memory, selection.check));
  if (!selection.check) return observers;
  observers.push_back(std::make_unique<BarrierDivergence>(sink, memory));
  observers.push_back(std::make_unique<BarrierMismatch>(sink, memory));
  observers.push_back(std::make_unique<BarrierCount>(sink, memory));
  observers.push_back(std::make_unique<InactiveSource>(sink, memory));
  observers.push_back(std::make_unique<MbarrierMisuse>(sink, memory));
  if (selection.races) observers.push_back(std::make_unique<race::RaceCheck>(sink, memory, selection.ptx_model));
  observers.push_back(std::make_unique<Uninitialized>(sink, memory));
  observers.push_back(std::make_unique<AtomicCasLoop>(sink, memory));
  observers.push_back(std::make_unique<CoResidency>(sink, memory));
  if (std::find(selection.enabled.begin(), selection.enabled.end(), "lockstep-hazard") != selection.enabled.end())
    observers.push_back(std::make_unique<LockstepHazard>(sink, memory));
  return observers;
}

} // namespace tollgate::checks
