#include "checks/mbarrier/misuse.h"

#include "checks/barrier/stuck.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks {

using observe::Finding;
using observe::MbarrierEvent;
using observe::MbarrierOp;
using observe::Severity;
using observe::Side;
using observe::StuckEvent;
using observe::WaitingLanes;
using observe::WaitKind;

namespace {

constexpr uint32_t most_arrivals = (1u << 20) - 1; // PTX ISA, mbarrier: the count lies in 1 ... 2^20 - 1

enum Kind { NotMade, MadeTwice, BadCount, TooMany, OldPhase, NoEnd };

const char* verb(MbarrierOp op) {
  switch (op) {
  case MbarrierOp::Init: return "initialises it";
  case MbarrierOp::Invalidate: return "invalidates it";
  case MbarrierOp::Arrive: return "arrives";
  case MbarrierOp::Wait:
  case MbarrierOp::Poll: return "waits";
  }
  return "uses it";
}

uint32_t thread_index(const MbarrierEvent& event) {
  return event.warp * observe::warp_size + static_cast<uint32_t>(std::countr_zero(event.mask));
}

} // namespace

bool waits_at_mbarrier(const StuckEvent& event) {
  const auto is = [](WaitKind kind) { return [kind](const WaitingLanes& lanes) { return lanes.kind == kind; }; };
  return event.livelock && std::any_of(event.waiting.begin(), event.waiting.end(), is(WaitKind::Mbarrier)) &&
         std::none_of(event.waiting.begin(), event.waiting.end(), is(WaitKind::Spin));
}

void MbarrierMisuse::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  clusters_.clear();
}

void MbarrierMisuse::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    finding.at.threads = spread_text(launch_, spread);
  });
}

void MbarrierMisuse::on_block_end(const observe::BlockRef& block) {
  if (clusters_.empty()) return;
  const auto known = clusters_.find(launch_.cluster_of(block.linear));
  if (known != clusters_.end() && (known->second.blocks == 0 || --known->second.blocks == 0)) clusters_.erase(known);
}

void MbarrierMisuse::on_mbarrier(const MbarrierEvent& event) {
  Objects& objects = objects_of(event.block);
  if (event.op == MbarrierOp::Init) return make(event, objects);
  const auto known = objects.find(event.address);
  if (known == objects.end()) {
    return report(event,
                  {NotMade, "an mbarrier operation on " + name(event.address) + ", which holds no initialised object",
                   "let one thread execute mbarrier.init, then __syncthreads(), before the first use; after "
                   "mbarrier.inval the object is gone",
                   verb(event.op)});
  }
  Object& object = known->second;
  Thread& thread = object.threads[{event.block.linear, thread_index(event)}];
  switch (event.op) {
  case MbarrierOp::Invalidate: objects.erase(known); break;
  case MbarrierOp::Arrive: arrive(event, object, thread); break;
  case MbarrierOp::Wait: wait(event, object, thread); break;
  case MbarrierOp::Poll:
    object.pending = event.pending;
    object.bytes = event.bytes;
    break;
  case MbarrierOp::Init: break;
  }
}

void MbarrierMisuse::make(const MbarrierEvent& event, Objects& objects) {
  if (event.expected == 0 || event.expected > most_arrivals) {
    report(event, {BadCount,
                   "an mbarrier object is initialised for " + digits(event.expected) + " arrivals; 1 to " +
                       digits(most_arrivals) + " are allowed",
                   "give mbarrier.init the number of arrivals that complete a phase", verb(event.op)});
  }
  const auto [known, fresh] = objects.try_emplace(event.address);
  if (!fresh) {
    report(event, {MadeTwice, "the mbarrier object " + name(event.address) + " is initialised again while it is in use",
                   "let one thread initialise it, once; before its memory is used for another, invalidate it with "
                   "mbarrier.inval (or cuda::barrier's destructor)",
                   verb(event.op), known->second.made, "initialised here before"});
  }
  known->second = Object{event.site, 0, event.expected, event.expected, 0, {}};
}

void MbarrierMisuse::arrive(const MbarrierEvent& event, Object& object, Thread& thread) {
  if (event.arrivals > event.pending) {
    report(event, {TooMany,
                   digits(event.arrivals) + " arrivals at the mbarrier object " + name(event.address) + " where " +
                       digits(event.pending) + " are pending",
                   "let exactly as many threads arrive in a phase as mbarrier.init was told, or raise its count",
                   verb(event.op), object.made, "initialised here for " + digits(object.expected) + " arrivals"});
  }
  if (event.arrivals != 0) thread.arrived = object.phase;
  if (event.completes) ++object.phase;
}

// A wait that succeeds names the phase before the present one. Who arrived in the present one, and had seen the one
// before complete, waits for the wrong phase and goes on at once.
void MbarrierMisuse::wait(const MbarrierEvent& event, const Object& object, Thread& thread) {
  const int64_t waited_for = object.phase - 1;
  const bool seen = thread.observed >= waited_for || (waited_for < 0 && thread.arrived >= 0);
  if (seen && thread.arrived > waited_for) {
    report(event, {OldPhase,
                   "a thread arrived in one phase of the mbarrier object " + name(event.address) +
                       " and waits for the phase before it, which is complete",
                   "flip the parity after each wait, beginning with 0, or wait with the token of the last arrival",
                   verb(event.op)});
  }
  thread.observed = std::max(thread.observed, waited_for);
}

void MbarrierMisuse::report(const MbarrierEvent& event, const What& what) {
  findings_.add({what.kind, event.site, what.other}, {event.block, event.warp, event.mask}, [&] {
    ThreadGroup group;
    group.add(event.warp, event.mask);
    Finding finding = launch_.finding("mbarrier-misuse", Severity::Error);
    finding.message = what.message;
    finding.help = what.help;
    finding.at = launch_.side(event.site, event.block, group);
    finding.at.role = launch_.threads(group) + " " + what.role;
    finding.at.object = name(event.address);
    if (what.other != 0) {
      Side side;
      side.at = launch_.place(what.other);
      side.role = what.other_role;
      finding.others.push_back(std::move(side));
    }
    return finding;
  });
}

void MbarrierMisuse::on_stuck(const StuckEvent& event) {
  if (!waits_at_mbarrier(event)) return;
  std::map<std::pair<observe::SiteId, uint64_t>, ThreadGroup> waits; // by place and object
  for (const WaitingLanes& lanes : event.waiting)
    if (lanes.kind == WaitKind::Mbarrier) waits[{lanes.site, lanes.polled}].add(lanes.warp, lanes.mask);
  const Objects& objects = objects_of(event.block);
  for (const auto& [key, threads] : waits) {
    const auto& [site, address] = key;
    const auto known = objects.find(address);
    if (known == objects.end()) continue; // reported when they came
    const Object& object = known->second;
    Finding finding = launch_.finding("mbarrier-misuse", Severity::Error);
    finding.message = "threads of " + Launch::block(event.block) + " wait for a phase of the mbarrier object " +
                      name(address) + " that can never complete";
    finding.help = "let as many threads arrive in each phase as mbarrier.init was told, and bring the bytes that were "
                   "announced; wait for the present phase or the one before it";
    finding.at = launch_.side(site, event.block, threads);
    finding.at.role = launch_.doing(threads, "wait") + " here";
    finding.at.object = name(address);
    Side made;
    made.at = launch_.place(object.made);
    made.role = "initialised here for " + digits(object.expected) + " arrivals";
    finding.others.push_back(std::move(made));
    finding.notes.push_back(
        digits(object.pending) + " arrivals are still missing in the present phase" +
        (object.bytes == 0 ? "" : "; bytes that were announced and did not come: " + std::to_string(object.bytes)) +
        "; phases completed before it: " + std::to_string(object.phase));
    finding.details = stuck_details(launch_, event);
    sink_.report(std::move(finding));
  }
}

} // namespace tollgate::checks
