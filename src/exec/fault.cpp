#include "exec/fault.h"

#include "exec/address.h"
#include "exec/fault_decode.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace tollgate::exec {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr size_t kStackBytes = 64 * 1024;

struct Guard {
  sigjmp_buf resume;
  Guard* outer;
  FaultInfo* info;
};

// Initial-exec: a signal handler must not be the one who allocates thread-local storage.
struct ThreadState {
  Guard* guard;
  bool ready, chaining;
};
__attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState thread_state{};

// The handler runs on its own stack, for a kernel may have overrun the ordinary one.
class AlternateStack {
public:
  AlternateStack() {
    stack_t old{};
    if (sigaltstack(nullptr, &old) == 0 && !(old.ss_flags & SS_DISABLE) && old.ss_size >= kStackBytes / 4) return;
    memory_ = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = kStackBytes;
    sigaltstack(&ours, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t current{};
    if (sigaltstack(nullptr, &current) == 0 && current.ss_sp == memory_) {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
    munmap(memory_, kStackBytes);
    thread_state.ready = false;
  }

private:
  void* memory_ = MAP_FAILED;
};

// Read by the handler, written under the lock before the handler can see it.
struct Previous {
  struct sigaction action;
  Previous* older; // never freed: a handler may be reading it. There is one for each handler of the program's.
};
std::atomic<Previous*> previous_actions[NSIG];
std::atomic<HostFaultHook> host_fault_hook{nullptr};

void fill(FaultInfo& info, int signal, const siginfo_t& what, const ucontext_t& context) {
  static constexpr int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  const greg_t* registers = context.uc_mcontext.gregs;
  for (unsigned i = 0; i < 16; ++i) info.registers[i] = static_cast<uint64_t>(registers[order[i]]);
  info.signal = signal;
  info.instruction = static_cast<uint64_t>(registers[REG_RIP]);
  info.write = signal == SIGSEGV && (registers[REG_ERR] & 2); // page-fault error code, bit 1
  info.host_address = reinterpret_cast<uint64_t>(what.si_addr);
  info.known = signal != SIGFPE && what.si_code != SI_KERNEL; // SI_KERNEL: a non-canonical address, si_addr is 0
}

void call_previous(int signal, siginfo_t* what, void* context, const struct sigaction& action) {
  sigset_t mask = action.sa_mask, saved;
  if (!(action.sa_flags & SA_NODEFER)) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, &saved);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, what, context);
  else
    action.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

// With the default action the instruction faults again on return, and the process dies of it as it would without us.
void default_action(int signal, bool sent) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  if (sent) raise(signal);
}

void chain(int signal, siginfo_t* what, void* context) {
  const bool sent = what->si_code <= 0; // by kill or raise
  const Previous* previous = previous_actions[signal].load(std::memory_order_acquire);
  // A handler that the program installed over ours may call ours in turn.
  if (thread_state.chaining || !previous) return default_action(signal, sent);
  const struct sigaction& action = previous->action;
  if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN && sent) return;
  if (!(action.sa_flags & SA_SIGINFO) && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
    return default_action(signal, sent);
  thread_state.chaining = true;
  call_previous(signal, what, context, action);
  thread_state.chaining = false;
}

// The kernel puts the context right behind the return address of the handler it calls (struct rt_sigframe). Somebody
// else's handler that calls this one does not.
bool called_by_kernel(const void* frame, const void* context) {
  return static_cast<const char*>(frame) + 2 * sizeof(void*) == context;
}

void on_fault(int signal, siginfo_t* what, void* context) {
  // A program's handler may have left by siglongjmp, and the flag behind.
  if (called_by_kernel(__builtin_frame_address(0), context)) thread_state.chaining = false;
  Guard* guard = thread_state.guard;
  if (guard && what->si_code > 0) {
    fill(*guard->info, signal, *what, *static_cast<ucontext_t*>(context));
    // Restored here, where it costs only faults: run_guarded does not save the mask.
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(guard->resume, 1);
  }
  if (HostFaultHook hook = host_fault_hook.load(); hook && what->si_code > 0)
    hook(what->si_addr, static_cast<uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]));
  chain(signal, what, context);
}

void finish(FaultInfo& info) {
  if (!info.known && info.signal == SIGSEGV) {
    if (auto address = memory_operand(reinterpret_cast<const uint8_t*>(info.instruction), info.registers)) {
      info.host_address = *address;
      info.known = true;
    }
  }
  info.device_address = info.known ? info.host_address - kBias : 0;
}

[[gnu::noinline]] void prepare_thread() {
  static thread_local AlternateStack stack;
  install_fault_handlers();
  thread_state.ready = true;
}

} // namespace

void install_fault_handlers() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  for (int signal : kSignals) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) continue;
    previous_actions[signal].store(new Previous{now, previous_actions[signal]}, std::memory_order_release);
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
}

void set_host_fault_hook(HostFaultHook hook) { host_fault_hook = hook; }

bool run_guarded(void (*fn)(void*), void* arg, FaultInfo& info) noexcept {
  if (!thread_state.ready) prepare_thread();
  Guard guard;
  guard.outer = thread_state.guard;
  guard.info = &info;
  thread_state.chaining = false;
  if (sigsetjmp(guard.resume, 0) == 0) {
    thread_state.guard = &guard;
    fn(arg);
    thread_state.guard = guard.outer;
    return true;
  }
  thread_state.guard = guard.outer;
  finish(info);
  return false;
}

} // namespace tollgate::exec
