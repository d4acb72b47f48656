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

// All lanes at once: the stretch from the lowest to behind the highest byte, and the bits that occur in any address.
void span_of(const MemoryEvent& event, uint64_t& low, uint64_t& high, uint64_t& any) {
  low = ~uint64_t{0}, high = 0, any = 0;
  const auto add = [&](uint64_t address) {
    low = std::min(low, address);
    high = std::max(high, address);
    any |= address;
  };
  if (event.mask == ~LaneMask{0})
    for (unsigned lane = 0; lane < observe::warp_size; ++lane) add(event.address[lane]);
  else
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) add(event.address[std::countr_zero(rest)]);
  high += event.bytes;
}

} // namespace

void Bounds::on_launch(const observe::LaunchInfo& info) {
  launch_.begin(info);
  reported_.clear();
  known_ = {};
  gaps_.clear();
  uint64_t end = 0;
  for (const observe::SharedName& v : info.shared) {
    if (v.offset > end) gaps_.emplace_back(end, v.offset);
    end = std::max(end, v.size == 0 ? info.shared_bytes : v.offset + v.size);
  }
  if (!info.shared.empty() && end < info.shared_bytes) gaps_.emplace_back(end, info.shared_bytes);
}

const Bounds::Known& Bounds::object_at(uint64_t address) {
  for (const Known& known : known_)
    if (address - known.base < known.size) return known;
  const AllocationInfo object = memory_.lookup(address);
  Known& slot = known_[next_known_++ % known_.size()];
  return slot = {object.base, object.size, object.kind};
}

bool Bounds::in_gap(uint64_t offset, uint64_t bytes) const {
  return std::any_of(gaps_.begin(), gaps_.end(),
                     [&](const auto& gap) { return offset < gap.second && offset + bytes > gap.first; });
}

// The lanes that touch a red zone, or another lane's local memory, inside an object that is live as a whole.
LaneMask Bounds::outside_part(const MemoryEvent& event, uint64_t low, uint64_t high) {
  const observe::LaunchInfo& info = launch_.info();
  if (gaps_.empty() && info.local_stride == 0) return 0;
  const Known& object = object_at(low);
  LaneMask bad = 0;
  const auto judge_lanes = [&](auto is_bad) {
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
      if (const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
          is_bad(lane, event.address[lane] - object.base))
        bad |= LaneMask{1} << lane;
  };
  if (object.kind == AllocationInfo::Kind::Shared && !gaps_.empty() && in_gap(low - object.base, high - low))
    judge_lanes([&](uint32_t, uint64_t offset) { return in_gap(offset, event.bytes); });
  if (object.kind == AllocationInfo::Kind::Local && info.local_stride != 0)
    judge_lanes([&](uint32_t lane, uint64_t offset) {
      return offset / info.local_stride != event.warp * observe::warp_size + lane ||
             offset % info.local_stride + event.bytes > info.local_frame;
    });
  return bad;
}

// The variable below the address, or the lane's part of local memory.
AllocationInfo Bounds::part_of(const AllocationInfo& object, uint64_t address) const {
  AllocationInfo part = object;
  const observe::LaunchInfo& info = launch_.info();
  const uint64_t offset = address - object.base;
  if (object.kind == AllocationInfo::Kind::Shared) {
    for (const observe::SharedName& v : info.shared)
      if (v.offset <= offset) {
        part.base = object.base + v.offset;
        part.size = v.size == 0 ? info.shared_bytes - v.offset : v.size;
        part.name = v.name;
      }
  } else if (object.kind == AllocationInfo::Kind::Local && info.local_stride != 0) {
    part.base = object.base + offset / info.local_stride * info.local_stride;
    part.size = info.local_frame;
  }
  return part;
}

namespace {

void name_threads(Finding& finding, std::string threads, AccessKind kind) {
  finding.at.threads = std::move(threads);
  finding.at.role = (kind == AccessKind::Atomic ? "atomic update" : access_name(kind)) + " by " + finding.at.threads;
}

} // namespace

void Bounds::on_launch_end() {
  findings_.flush([&](Finding& finding, const RepeatingFindings::Spread& spread) {
    if (finding.at.access.empty()) { // a free()
      finding.at.threads = spread_text(launch_, spread);
      finding.at.role = "freed here by " + finding.at.threads;
      return;
    }
    const AccessKind kind = finding.at.access == "read"    ? AccessKind::Load
                            : finding.at.access == "write" ? AccessKind::Store
                                                           : AccessKind::Atomic;
    name_threads(finding, spread_text(launch_, spread), kind);
  });
}

void Bounds::on_memory(const MemoryEvent& event) {
  if (event.mask == 0 || event.bytes == 0 || event.space == MemorySpace::Param) return;
  uint64_t low = 0, high = 0, any = 0;
  span_of(event, low, high, any);
  // Natural alignment (PTX ISA, ld): vectors count as one access of their full size.
  LaneMask misaligned = 0;
  if (std::has_single_bit(event.bytes) && (any & (event.bytes - 1)) != 0)
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
      if (const int lane = std::countr_zero(rest); (event.address[lane] & (event.bytes - 1)) != 0)
        misaligned |= LaneMask{1} << lane;
  if (misaligned != 0) report(event, misaligned, true);

  if (high - low <= UINT32_MAX && memory_.contains(low, static_cast<uint32_t>(high - low))) {
    if (const LaneMask outside = outside_part(event, low, high); outside != 0) report(event, outside, false);
    return;
  }
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
  if (object.kind == AllocationInfo::Kind::Local && address >= object.base && address + bytes <= end) {
    verdict.message = what + " in the local memory of another thread";
    verdict.help = "a pointer to a local variable means something to its own thread only: share the data in shared or "
                   "global memory";
  } else if (address < end)
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
  const AllocationInfo object = part_of(memory_.lookup(address), address);
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
            object.size != 0
                ? "pass what cudaHostGetDevicePointer() gives for it: on this device registered memory has an address "
                  "of its own (canUseHostPointerForRegisteredMem is 0)"
                : "copy the data to memory from cudaMalloc and pass that pointer, or allocate with cudaMallocManaged",
            "host memory " + hex(address), object.size != 0 ? "the memory is registered (cudaHostRegister)" : ""};
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

void Bounds::on_bad_free(const observe::BadFreeEvent& event) {
  constexpr int kind = 2; // beside those of report()
  findings_.add({kind, event.site, 0}, {event.block, event.warp, event.mask}, [&] {
    const AllocationInfo object = memory_.lookup(event.address);
    const bool again = object.kind == AllocationInfo::Kind::Freed && object.base == event.address;
    Finding finding = launch_.finding("use-after-free", Severity::Error);
    finding.message = again ? "free() of memory that was freed before"
                            : "free() of " + hex(event.address) + ", which malloc() in a kernel did not return";
    finding.help = again ? "free each block once, and let one thread do it: set the pointer to null behind free()"
                         : "pass the pointer that malloc() returned, unchanged; memory from cudaMalloc is freed by the "
                           "host, with cudaFree";
    ThreadGroup group;
    group.add(event.warp, event.mask);
    finding.at = launch_.side(event.site, event.block, group);
    finding.at.role = "freed here by " + finding.at.threads;
    if (object.kind != AllocationInfo::Kind::None) finding.at.object = object_offset(object, event.address);
    return finding;
  });
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
