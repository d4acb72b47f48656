#include "checks/warp/inactive_source.h"

namespace tollgate::checks {

using observe::Finding;
using observe::InactiveUseEvent;
using observe::Severity;
using observe::Side;
using observe::ValueUse;

namespace {

const char* use_text(ValueUse use) {
  switch (use) {
  case ValueUse::Branch: return "a branch depends on it";
  case ValueUse::Address: return "it comes to an address";
  case ValueUse::Store: return "it is stored";
  case ValueUse::Atomic: return "it comes to an atomic operation";
  }
  return "it is used";
}

} // namespace

void InactiveSource::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    finding.at.threads = spread_text(launch_, spread);
  });
}

// One finding for each shuffle: the first use says enough.
void InactiveSource::on_inactive_use(const InactiveUseEvent& event) {
  findings_.add({0, event.shuffle, 0}, {event.block, event.warp, event.mask}, [&] {
    ThreadGroup group;
    group.add(event.warp, event.mask);
    Finding finding = launch_.finding("warp-inactive-source", Severity::Error);
    finding.message = std::string("a shuffle reads a lane that takes no part in it, and ") + use_text(event.use);
    finding.help = "let the source lanes make the shuffle as well, or use the result only where lane and offset stay "
                   "inside the mask and the threads that are there";
    finding.at = launch_.side(event.shuffle, event.block, group);
    finding.at.role = launch_.threads(group) + (group.size() == 1 ? " gets" : " get") + " a value that nobody gave";
    if (event.site != 0) {
      Side use = launch_.side(event.site, event.block, group);
      use.role = event.use == ValueUse::Store ? "stored here" : "used here";
      finding.others.push_back(std::move(use));
    }
    return finding;
  });
}

} // namespace tollgate::checks
