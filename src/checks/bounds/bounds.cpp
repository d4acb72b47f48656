#include "checks/bounds/bounds.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace tollgate::checks {

using observe::AccessKind;
using observe::AllocationInfo;
using observe::Finding;
using observe::LaneMask;
using observe::MemoryEvent;
using observe::MemorySpace;
using observe::Severity;

namespace {

// No object lies in the first pages: a member or an element of a null pointer has a small address, not zero.
constexpr uint64_t null_page = 65536;
// Farther away than this from the nearest object, naming that object would mislead.
constexpr uint64_t far_away = 1u << 20;

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string bytes_text(uint64_t bytes) { return digits(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string access_name(AccessKind kind) {
  return kind == AccessKind::Load ? "read" : kind == AccessKind::Store ? "write" : "atomic";
}

// "a 4,096-byte allocation", "the shared array `tile` (1,024 bytes)"
std::string object_name(const AllocationInfo& object) {
  const std::string size = digits(object.size) + "-byte ";
  const std::string named = object.name.empty() ? "" : " `" + object.name + "`";
  const std::string in_brackets = " (" + bytes_text(object.size) + ")";
  switch (object.kind) {
  case AllocationInfo::Kind::Global: return "a " + size + "allocation";
  case AllocationInfo::Kind::Managed: return "a " + size + "managed allocation";
  case AllocationInfo::Kind::Mapped: return "a " + size + "block of mapped host memory";
  case AllocationInfo::Kind::ModuleVariable: return "the device variable" + named + in_brackets;
  case AllocationInfo::Kind::Shared:
    return named.empty() ? "the block's shared memory" + in_brackets : "the shared variable" + named + in_brackets;
  case AllocationInfo::Kind::Local: return "the thread's local memory" + named + in_brackets;
  case AllocationInfo::Kind::Const: return "the constant variable" + named + in_brackets;
  case AllocationInfo::Kind::Param: return "the kernel's parameters" + in_brackets;
  case AllocationInfo::Kind::Freed: return "a freed " + size + "allocation";
  case AllocationInfo::Kind::LeftShared: return "the shared memory of a block that has left the kernel";
  case AllocationInfo::Kind::HostMemory:
  case AllocationInfo::Kind::None: break;
  }
  return "an object";
}

std::string object_offset(const AllocationInfo& object, uint64_t address) {
  const std::string name = object.name.empty() ? digits(object.size) + "-byte allocation" : object.name;
  return (object.kind == AllocationInfo::Kind::Shared ? "shared " : "") + name +
         (address < object.base ? " -" + digits(object.base - address) : " +" + digits(address - object.base));
}

// All lanes at once: true if the whole stretch from the lowest to the highest byte lies inside one object.
bool all_inside(const observe::MemoryMap& memory, const MemoryEvent& event) {
  uint64_t low = ~uint64_t{0}, high = 0;
  for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = event.address[std::countr_zero(rest)];
    low = std::min(low, address);
    high = std::max(high, address);
  }
  const uint64_t span = high - low + event.bytes;
  return span <= UINT32_MAX && memory.contains(low, static_cast<uint32_t>(span));
}

} // namespace

void Bounds::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  reported_.clear();
}

namespace {

void name_threads(Finding& finding, std::string threads, AccessKind kind) {
  finding.at.threads = std::move(threads);
  finding.at.role = (kind == AccessKind::Atomic ? "atomic update" : access_name(kind)) + " by " + finding.at.threads;
}

} // namespace

void Bounds::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    const AccessKind kind = finding.at.access == "read"    ? AccessKind::Load
                            : finding.at.access == "write" ? AccessKind::Store
                                                           : AccessKind::Atomic;
    name_threads(finding, spread_text(launch_, spread), kind);
  });
}

void Bounds::on_memory(const MemoryEvent& event) {
  if (event.mask == 0 || event.bytes == 0 || event.space == MemorySpace::Param) return;
  // Natural alignment (PTX ISA, ld): vectors count as one access of their full size.
  LaneMask misaligned = 0;
  if (std::has_single_bit(event.bytes))
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
      if (const int lane = std::countr_zero(rest); (event.address[lane] & (event.bytes - 1)) != 0)
        misaligned |= LaneMask{1} << lane;
  if (misaligned != 0) report(event, misaligned, true);

  if (all_inside(memory_, event)) return;
  LaneMask bad = 0;
  for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
    if (const int lane = std::countr_zero(rest); !memory_.contains(event.address[lane], event.bytes))
      bad |= LaneMask{1} << lane;
  if (bad != 0) report(event, bad, false);
}

void Bounds::report(const MemoryEvent& event, LaneMask bad, bool misaligned) {
  const uint64_t address = event.address[std::countr_zero(bad)];
  const AllocationInfo object = memory_.lookup(address);
  reported_.insert(event.site);
  findings_.add({misaligned ? 1 : 0, event.site, object.base}, {event.block, event.warp, bad}, [&] {
    const std::string access = access_name(event.kind);
    Verdict verdict;
    if (misaligned) {
      verdict.rule = "misaligned";
      verdict.message = access + " of " + bytes_text(event.bytes) + " at address " + hex(address) +
                        ", which is no multiple of " + std::to_string(event.bytes);
      verdict.help = "a device traps here: align the pointer to the size of the type that is accessed through it";
    } else {
      verdict = judge(address, event.bytes, access);
    }
    Finding finding = launch_.finding(verdict.rule, Severity::Error);
    finding.message = std::move(verdict.message);
    finding.help = std::move(verdict.help);
    ThreadGroup group;
    group.add(event.warp, bad);
    finding.at = launch_.side(event.site, event.block, group);
    finding.at.access = access;
    finding.at.bytes = event.bytes;
    finding.at.object = std::move(verdict.object);
    name_threads(finding, finding.at.threads, event.kind);
    if (!verdict.note.empty()) finding.notes.push_back(std::move(verdict.note));
    return finding;
  });
}

Bounds::Verdict Bounds::outside(uint64_t address, uint32_t bytes, const std::string& access,
                                const AllocationInfo& object) const {
  const uint64_t end = object.base + object.size;
  Verdict verdict;
  verdict.rule = "out-of-bounds";
  verdict.object = object_offset(object, address);
  verdict.help = "check the index against the size of the object, or make the object large enough";
  const std::string what = access + (bytes == 0 ? "" : " of " + bytes_text(bytes));
  if (address < end)
    verdict.message = what + " starts inside " + object_name(object) + " and ends " +
                      bytes_text(address + bytes - end) + " past its end";
  else if (address == end)
    verdict.message = what + " right behind the end of " + object_name(object);
  else
    verdict.message = what + ", " + bytes_text(address - end) + " past the end of " + object_name(object);
  if (!object.allocated_at.empty()) verdict.note = "the object was allocated at " + object.allocated_at;
  return verdict;
}

// lookup() looks downwards only: an index of -1 lies before its object.
AllocationInfo Bounds::object_above(uint64_t address) const {
  for (uint64_t step = 4; step <= 4096; step *= 2) {
    const AllocationInfo object = memory_.lookup(address + step);
    if (object.kind != AllocationInfo::Kind::None && object.base > address) return object;
  }
  return {};
}

Bounds::Verdict Bounds::before(uint64_t address, uint32_t bytes, const std::string& access,
                               const AllocationInfo& object) const {
  Verdict verdict;
  verdict.rule = "out-of-bounds";
  verdict.message = access + (bytes == 0 ? "" : " of " + bytes_text(bytes)) + ", " + bytes_text(object.base - address) +
                    " before the start of " + object_name(object);
  verdict.help = "the index or offset is negative here: check it against 0 as well as against the size";
  verdict.object = object_offset(object, address);
  if (!object.allocated_at.empty()) verdict.note = "the object was allocated at " + object.allocated_at;
  return verdict;
}

Bounds::Verdict Bounds::judge(uint64_t address, uint32_t bytes, const std::string& access) const {
  const AllocationInfo object = memory_.lookup(address);
  const bool known = object.kind != AllocationInfo::Kind::None;
  const std::string what = access + (bytes == 0 ? "" : " of " + bytes_text(bytes));
  if (address < null_page && (!known || object.base >= null_page || address - object.base >= object.size))
    return {"null-pointer",
            what + " through a null pointer" + (address == 0 ? "" : " (plus " + bytes_text(address) + ")"),
            "see where the pointer was meant to be set: look at the result of the allocation and at the kernel's "
            "arguments",
            hex(address), ""};
  if (object.kind == AllocationInfo::Kind::HostMemory)
    return {"host-pointer", what + " through a pointer to host memory (" + hex(address) + ")",
            "copy the data to memory from cudaMalloc and pass that pointer, or allocate with cudaMallocManaged",
            "host memory " + hex(address), ""};
  if (object.kind == AllocationInfo::Kind::Freed && address - object.base < object.size)
    return {"use-after-free", what + " in memory that was freed",
            "free the memory only after the last kernel that uses it has ended", object_offset(object, address),
            object.allocated_at.empty() ? "" : "the memory was allocated at " + object.allocated_at};
  if (object.kind == AllocationInfo::Kind::LeftShared)
    return {"use-after-free", what + " in the shared memory of a block of the cluster that has left the kernel",
            "let all blocks of the cluster meet once more before they leave: cluster.sync() behind the last access to "
            "another block's shared memory",
            "shared memory of another block", ""};
  const AllocationInfo above = object_above(address);
  const uint64_t end = object.base + object.size;
  if (above.kind != AllocationInfo::Kind::None && (!known || (address >= end && above.base - address < address - end)))
    return before(address, bytes, access, above);
  if (!known || address - object.base >= object.size + far_away)
    return {"out-of-bounds", what + " at " + hex(address) + ", where there is no object",
            "the address comes from an index far out of range, a pointer that was never set, or one of another process",
            hex(address), ""};
  return outside(address, bytes, access, object);
}

Bounds::Verdict Bounds::judge_call(uint64_t target) const {
  Verdict verdict;
  verdict.rule = target == 0 ? "null-pointer" : "out-of-bounds";
  verdict.message = target == 0 ? "call through a null pointer"
                                : "call through a pointer that is no device function (" + hex(target) + ")";
  verdict.help = "take the function's address in device code: on the host its name stands for another function";
  return verdict;
}

void Bounds::on_fault(const observe::FaultEvent& event) {
  if (event.known && reported_.contains(event.site)) return; // said better when the access was about to happen
  if (!event.known && !reported_.empty()) return;
  Verdict verdict = event.is_call ? judge_call(event.address) : judge(event.address, 0, "access");
  Finding finding = launch_.finding(verdict.rule, Severity::Error);
  finding.message = std::move(verdict.message);
  finding.help = std::move(verdict.help);
  ThreadGroup group;
  group.add(event.warp, event.mask);
  if (event.site != 0) {
    finding.at = launch_.side(event.site, event.block, group);
    const std::string verb = event.is_call ? "called" : "accessed";
    finding.at.role = verb + (group.empty() ? " here" : " by " + finding.at.threads);
  } else {
    finding.notes.push_back("`tollgate run` does not keep track of places: `tollgate check` looks at every access and "
                            "names its line");
  }
  finding.at.object = std::move(verdict.object);
  if (!verdict.note.empty()) finding.notes.push_back(std::move(verdict.note));
  sink_.report(std::move(finding));
}

} // namespace tollgate::checks
