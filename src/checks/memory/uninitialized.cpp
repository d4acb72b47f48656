#include "checks/memory/uninitialized.h"

#include "observe/own_line.h"

#include <bit>

namespace tollgate::checks {

using observe::AllocationInfo;
using observe::Finding;
using observe::Severity;
using observe::Side;
using observe::UndefinedLoadEvent;
using observe::UndefinedUseEvent;
using observe::ValueUse;

namespace {

const char* use_text(ValueUse use) {
  switch (use) {
  case ValueUse::Branch: return "a branch depends on it";
  case ValueUse::Address: return "an address is made of it";
  case ValueUse::Store: return "the result of arithmetic on it is stored";
  case ValueUse::Atomic: return "it is the operand of an atomic operation";
  }
  return "it is used";
}

const char* use_role(ValueUse use) {
  switch (use) {
  case ValueUse::Branch: return "";
  case ValueUse::Address: return "an address here is made of it";
  case ValueUse::Store: return "what was computed from it is stored here";
  case ValueUse::Atomic: return "it is the operand of this atomic operation";
  }
  return "";
}

std::string help_text(AllocationInfo::Kind kind) {
  switch (kind) {
  case AllocationInfo::Kind::Shared:
    return "shared memory has no value when a block begins: let its threads write every element that is read, and "
           "wait for them with __syncthreads()";
  case AllocationInfo::Kind::Local:
    return "give the variable a value where it is declared, or on every path to here; if it is a copy from an array, "
           "write that element first";
  case AllocationInfo::Kind::Global:
    return "cudaMalloc and malloc do not clear memory: fill it with cudaMemset, a copy or a kernel, as far as it is "
           "read";
  default: return "write the value on every path before it is read";
  }
}

} // namespace

void Uninitialized::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  sources_.clear();
}

void Uninitialized::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    finding.at.threads = spread_text(launch_, spread);
    finding.at.role = "read by " + finding.at.threads;
  });
}

void Uninitialized::on_undefined_load(const UndefinedLoadEvent& event) {
  const auto [entry, fresh] = sources_.try_emplace(event.site);
  if (!fresh) return;
  const uint64_t address = event.address[std::countr_zero(event.mask)];
  const AllocationInfo object = memory_.lookup(address);
  // Where a lane's part of local memory begins says nothing to anybody.
  const bool local = object.kind == AllocationInfo::Kind::Local;
  entry->second = {local ? "local memory" : launch_.object(object, address), object.allocated_at, object.kind,
                   event.bytes};
}

// One finding for each load: the first use says enough.
void Uninitialized::on_undefined_use(const UndefinedUseEvent& event) {
  const uint64_t place = event.load == 0 ? uint64_t{event.site} << 32 : event.load;
  findings_.add({0, place, 0}, {event.block, event.warp, event.mask}, [&] { return make(event); });
}

Finding Uninitialized::make(const UndefinedUseEvent& event) const {
  ThreadGroup group;
  group.add(event.warp, event.mask);
  Finding finding = launch_.finding("uninitialized", Severity::Warning);
  const bool updates = event.load == event.site && event.use == ValueUse::Atomic;
  const auto known = sources_.find(event.load);
  const Source source = known == sources_.end() ? Source{} : known->second;
  const std::string from = source.object.empty() ? "" : " from " + source.object;
  finding.message = updates ? "an atomic operation updates " + source.object + ", which was never written"
                            : "a value that was never written is read" + from + ", and " + use_text(event.use);
  finding.help = help_text(source.kind);
  finding.at = launch_.side(event.load == 0 ? event.site : event.load, event.block, group);
  finding.at.role = (updates ? "updated by " : "read by ") + finding.at.threads;
  finding.at.access = updates ? "atomic" : "read";
  finding.at.bytes = source.bytes;
  finding.at.object = source.object;
  if (!source.allocated_at.empty()) finding.notes.push_back("the memory was allocated at " + source.allocated_at);
  if (event.site != 0 && event.load != 0 && !updates) {
    Side use = launch_.side(event.site, event.block, group);
    use.role = use_role(event.use);
    finding.others.push_back(std::move(use));
  }
  // CUB reduces over lanes that have no value yet and drops what comes of it: nothing that its user could mend.
  if (observe::in_library(finding.at.at) && (finding.others.empty() || observe::in_library(finding.others[0].at))) {
    finding.severity = Severity::Note;
    finding.notes.push_back(
        "the whole kernel is the library's own: it may compute with such a value and drop the result");
  }
  return finding;
}

} // namespace tollgate::checks
