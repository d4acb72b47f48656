#include "exec/fault.h"
#include "exec/fault_decode.h"
#include "exec/memory.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace tollgate::exec {
namespace {

#if defined(__SANITIZE_ADDRESS__)
#define UNCHECKED __attribute__((no_sanitize("address", "undefined"), noinline))
#elif defined(__SANITIZE_THREAD__)
#define UNCHECKED __attribute__((no_sanitize("thread"), noinline))
#else
#define UNCHECKED __attribute__((noinline))
#endif

// What generated code does: add the bias, then access.
UNCHECKED void load(void* device) {
  (void)*reinterpret_cast<volatile int*>(reinterpret_cast<uint64_t>(device) + kBias);
}
UNCHECKED void store(void* device) { *reinterpret_cast<volatile int*>(reinterpret_cast<uint64_t>(device) + kBias) = 1; }
UNCHECKED void divide(void* zero) {
  volatile int divisor = *static_cast<int*>(zero), quotient = 1;
  asm volatile("cltd; idivl %1" : "+a"(const_cast<int&>(quotient)) : "m"(divisor) : "edx");
}
void nothing(void*) {}

void* pointer(uint64_t value) { return reinterpret_cast<void*>(value); }

TEST(Fault, WorkingCodeReturnsTrue) {
  FaultInfo info;
  DeviceMemory memory;
  uint64_t a = memory.allocate(64, MemoryKind::Device, "");
  EXPECT_TRUE(run_guarded(store, pointer(a), info));
  EXPECT_TRUE(run_guarded(load, pointer(a), info));
}

TEST(Fault, UnmappedDeviceAddress) {
  DeviceMemory memory;
  uint64_t a = memory.allocate(4096, MemoryKind::Device, "");
  for (uint64_t address : {a + 4096, uint64_t{0}, uint64_t{8}, ~uint64_t{7}, uint64_t{0xffff'fff0}}) {
    FaultInfo info;
    EXPECT_FALSE(run_guarded(load, pointer(address), info));
    EXPECT_EQ(info.signal, SIGSEGV);
    EXPECT_TRUE(info.known);
    EXPECT_FALSE(info.write);
    EXPECT_EQ(info.device_address, address);
    EXPECT_NE(info.instruction, 0u);
  }
}

TEST(Fault, StoresAreToldFromLoads) {
  FaultInfo info;
  EXPECT_FALSE(run_guarded(store, nullptr, info));
  EXPECT_TRUE(info.write);
}

TEST(Fault, HostPointersInKernelsAreRecovered) {
  int on_stack = 0;
  auto on_heap = std::make_unique<int>();
  for (void* host : {static_cast<void*>(&on_stack), static_cast<void*>(on_heap.get()), pointer(~uint64_t{0} / 2)}) {
    FaultInfo info;
    EXPECT_FALSE(run_guarded(load, host, info));
    EXPECT_EQ(info.signal, SIGSEGV);
    EXPECT_TRUE(info.known);
    EXPECT_EQ(info.device_address, reinterpret_cast<uint64_t>(host));
  }
}

TEST(Fault, DivisionByZero) {
  int zero = 0;
  FaultInfo info;
  EXPECT_FALSE(run_guarded(divide, &zero, info));
  EXPECT_EQ(info.signal, SIGFPE);
  EXPECT_FALSE(info.known);
}

TEST(Fault, GuardsNest) {
  struct Outer {
    static void run(void*) {
      FaultInfo inner;
      EXPECT_FALSE(run_guarded(load, nullptr, inner));
      EXPECT_TRUE(run_guarded(nothing, nullptr, inner));
      load(pointer(16));
    }
  };
  FaultInfo info;
  EXPECT_FALSE(run_guarded(Outer::run, nullptr, info));
  EXPECT_EQ(info.device_address, 16u);
}

TEST(Fault, ThousandsInSeveralThreads) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (uint64_t i = 0; i < 2'000; ++i) {
        FaultInfo info;
        ASSERT_FALSE(run_guarded(load, pointer(t * 0x10000 + i), info));
        ASSERT_EQ(info.device_address, t * 0x10000 + i);
        ASSERT_TRUE(run_guarded(nothing, nullptr, info));
      }
    });
  for (auto& thread : threads) thread.join();
}

sigjmp_buf program_resume;
int program_signal = 0;
void program_handler(int signal, siginfo_t*, void*) {
  program_signal = signal;
  siglongjmp(program_resume, 1);
}
void program_return_handler(int signal) { program_signal = signal; }

// Installs a program's handler after ours, as a program would that starts after the library was loaded.
class ProgramHandler {
public:
  explicit ProgramHandler(int signal, void (*handler)(int, siginfo_t*, void*), int flags) : signal_(signal) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, &old_);
    install_fault_handlers();
  }
  ~ProgramHandler() { sigaction(signal_, &old_, nullptr); }

private:
  int signal_;
  struct sigaction old_{};
};

TEST(Fault, FaultsOfTheHostGoToTheProgramsHandler) {
  install_fault_handlers();
  ProgramHandler handler(SIGSEGV, program_handler, 0);
  program_signal = 0;
  FaultInfo info;
  EXPECT_FALSE(run_guarded(load, nullptr, info)); // ours
  EXPECT_EQ(program_signal, 0);
  if (sigsetjmp(program_resume, 1) == 0) load(nullptr);
  EXPECT_EQ(program_signal, SIGSEGV);
}

TEST(Fault, SentSignalsAreNotFaultsOfTheKernel) {
  install_fault_handlers();
  struct sigaction action{}, old{};
  action.sa_handler = program_return_handler;
  sigaction(SIGFPE, &action, &old);
  install_fault_handlers();
  program_signal = 0;
  FaultInfo info;
  EXPECT_TRUE(run_guarded([](void*) { raise(SIGFPE); }, nullptr, info));
  EXPECT_EQ(program_signal, SIGFPE);
  sigaction(SIGFPE, &old, nullptr);
}

struct sigaction saved_by_program{};
int program_calls = 0;
void program_delegating_handler(int signal, siginfo_t* what, void* context) {
  if (++program_calls > 3) _exit(3); // would go on for ever
  saved_by_program.sa_sigaction(signal, what, context);
}

TEST(FaultDeathTest, AProgramsHandlerThatCallsOursDoesNotLoop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        install_fault_handlers();
        struct sigaction action{};
        action.sa_sigaction = program_delegating_handler;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, &saved_by_program);
        install_fault_handlers();
        load(nullptr);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

const void* hooked = nullptr;

TEST(FaultDeathTest, HostFaultsKillTheProcessAsBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        FaultInfo info;
        run_guarded(nothing, nullptr, info);
        load(nullptr);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(Fault, TheHookSeesDevicePointersThatTheHostUses) {
  install_fault_handlers();
  ProgramHandler handler(SIGSEGV, program_handler, 0);
  set_host_fault_hook([](const void* address, uint64_t) { hooked = address; });
  DeviceMemory memory;
  uint64_t a = memory.allocate(64, MemoryKind::Device, "");
  if (sigsetjmp(program_resume, 1) == 0) load(pointer(a - kBias));
  EXPECT_EQ(hooked, pointer(a));
  EXPECT_TRUE(is_device_address(hooked));
  set_host_fault_hook(nullptr);
}

struct Encoding {
  std::vector<uint8_t> code;
  std::optional<uint64_t> address;
};

TEST(FaultDecode, MemoryOperands) {
  std::array<uint64_t, 16> r{};
  for (unsigned i = 0; i < 16; ++i) r[i] = 0x1000u * (i + 1);
  const uint64_t rax = r[0], rcx = r[1], rbp = r[5], r9 = r[9], r12 = r[12], r13 = r[13];
  const Encoding cases[] = {
      {{0x8b, 0x01}, rcx},                                    // mov eax, [rcx]
      {{0x43, 0x8b, 0x44, 0x8c, 0x08}, r12 + 4 * r9 + 8},     // mov eax, [r12 + 4*r9 + 8]
      {{0x41, 0x89, 0x85, 0, 0xff, 0xff, 0xff}, r13 - 256},   // mov [r13 - 256], eax
      {{0x89, 0x04, 0x25, 0x10, 0, 0, 0}, 0x10},              // mov [0x10], eax
      {{0x89, 0x04, 0x0d, 0x10, 0, 0, 0}, rcx + 0x10},        // mov [rcx*1 + 0x10], eax
      {{0xf0, 0x0f, 0xc1, 0x45, 0xfc}, rbp - 4},              // lock xadd [rbp - 4], eax
      {{0xc5, 0xfa, 0x10, 0x04, 0x88}, rax + 4 * rcx},        // vmovss xmm0, [rax + 4*rcx]
      {{0xc4, 0xc1, 0x7c, 0x10, 0x41, 0x20}, r9 + 0x20},      // vmovups ymm0, [r9 + 32]
      {{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x41, 0x01}, rcx + 64}, // vmovups zmm0, [rcx + 64]
      {{0x62, 0xf1, 0x7e, 0x08, 0x10, 0x41, 0x01}, rcx + 4},  // vmovss xmm0, [rcx + 4] (EVEX)
      {{0xc4, 0xe2, 0x7d, 0x18, 0x01}, rcx},                  // vbroadcastss ymm0, [rcx]
      {{0x8b, 0xc1}, std::nullopt},                           // mov eax, ecx
      {{0x8b, 0x05, 0, 0, 0, 0}, std::nullopt},               // mov eax, [rip]
      {{0xc3, 0x00}, std::nullopt},                           // ret
      {{0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x08}, std::nullopt},   // vgatherdps
  };
  for (const Encoding& c : cases) EXPECT_EQ(memory_operand(c.code.data(), r), c.address) << unsigned{c.code[0]};
}

} // namespace
} // namespace tollgate::exec
