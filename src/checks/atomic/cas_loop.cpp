#include "checks/atomic/cas_loop.h"

#include "base/atomic_table.h"
#include "observe/own_line.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks {

using observe::AccessKind;
using observe::AllocationInfo;
using observe::Finding;
using observe::MemoryEvent;
using observe::Severity;

// From the table of what the compiler makes for the architecture. Where the space is not known from the instruction,
// both are asked.
AtomicCasLoop::Verdict AtomicCasLoop::judge(std::string_view instruction, int sm) {
  if (instruction.find(".async") != std::string_view::npos)
    return Verdict::Native; // red.async and cp.reduce.async.bulk are no atomics of a thread
  if (instruction.find(".cas") != std::string_view::npos) return Verdict::Native; // a program's own comparison
  if (atomic_state(instruction, "global", sm) == AtomicState::Loop) return Verdict::Loop;
  return atomic_state(instruction, "shared", sm) == AtomicState::Loop ? Verdict::LoopInShared : Verdict::Native;
}

// The functions of cuda_fp16.h and cuda_bf16.h write the loop themselves where PTX has no such instruction.
AtomicCasLoop::Verdict AtomicCasLoop::judge(const MemoryEvent& event) const {
  const observe::Place place = launch_.place(event.site);
  if (!event.compares) return judge(place.instruction, launch_.info().sm);
  const auto in_header = [](const observe::SourceFrame& frame) {
    return frame.file.find("cuda_fp16.h") != std::string::npos || frame.file.find("cuda_bf16.h") != std::string::npos;
  };
  const bool loop = std::any_of(place.stack.begin(), place.stack.end(), in_header) &&
                    !observe::library_file(place.stack[observe::shown_frame(place)].file);
  return loop ? Verdict::HeaderLoop : Verdict::Native;
}

void AtomicCasLoop::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  sites_.clear();
}

void AtomicCasLoop::on_memory(const MemoryEvent& event) {
  if (event.kind != AccessKind::Atomic || event.mask == 0) return;
  if (event.site >= sites_.size()) sites_.resize(event.site + 1, Verdict::Unknown);
  Verdict& verdict = sites_[event.site];
  if (verdict == Verdict::Unknown) verdict = judge(event);
  if (verdict == Verdict::Native) return;
  if (verdict == Verdict::LoopInShared &&
      memory_.lookup(event.address[std::countr_zero(event.mask)]).kind != AllocationInfo::Kind::Shared)
    return;
  report(event, verdict);
}

void AtomicCasLoop::report(const MemoryEvent& event, Verdict verdict) {
  findings_.add({0, event.site, 0}, [&] {
    ThreadGroup group;
    group.add(event.warp, event.mask);
    Finding finding = launch_.finding("atomic-cas-loop", Severity::Note);
    finding.at = launch_.side(event.site, event.block, group);
    finding.at.role = "first reached by " + launch_.threads(group) + " of " + Launch::block(event.block);
    finding.at.access = "atomic";
    finding.at.bytes = event.bytes;
    const std::string device = " on sm_" + std::to_string(launch_.info().sm);
    finding.message = verdict == Verdict::LoopInShared
                          ? "this atomic in shared memory is a compare-and-swap loop" + device
                          : "this atomic on 16-bit values is a compare-and-swap loop" + device;
    finding.help = device.substr(1) + " " +
                   atomic_alternatives(launch_.place(event.site).instruction, launch_.info().sm) +
                   "; or add up within the warp first (shuffles, then one atomic for a warp)";
    return finding;
  });
}

} // namespace tollgate::checks
