// Faults of generated code. A kernel that touches an address where nothing is mapped raises SIGSEGV; run_guarded turns
// that into a return value. Faults elsewhere in the process go to whoever handled them before.
#pragma once

#include <array>
#include <cstdint>

namespace tollgate::exec {

struct FaultInfo {
  int signal = 0;     // SIGSEGV, SIGBUS or SIGFPE
  bool known = false; // host_address is right; a non-canonical address may have to stay unknown
  bool write = false; // SIGSEGV: a store
  uint64_t host_address = 0;
  uint64_t device_address = 0;          // host_address - kBias: what the kernel used; 0 unless known
  uint64_t instruction = 0;             // address of the faulting machine instruction
  std::array<uint64_t, 16> registers{}; // in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15
};

// Calls fn(arg). If it faults, the call is abandoned where it stands (no destructors run, so code that touches device
// memory must hold no lock and own nothing), `info` is filled in and false returned. Costs a few nanoseconds; may be
// nested; `fn` must not throw.
bool run_guarded(void (*fn)(void*), void* arg, FaultInfo& info) noexcept;

// Puts the handlers in place; cheap when they are. Call it before each launch: the program may have installed its own
// handler since, which then gets the faults that are not ours.
void install_fault_handlers();

// Called with the address for a fault outside run_guarded before the program's handler is; it may only do what a
// signal handler may. For the diagnosis of device pointers that the host dereferences. nullptr: none.
using HostFaultHook = void (*)(const void* address, uint64_t instruction);
void set_host_fault_hook(HostFaultHook hook);

} // namespace tollgate::exec
