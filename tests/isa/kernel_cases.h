// Kernels about what threads do together and with memory: the same PTX text for a real GPU (gpu_oracle.cpp) and for the
// engine (kernel_golden_test.cpp).
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace tollgate::test {

// A module with one kernel k(.param .u64 in, .param .u64 out). Cell c of thread t is the word out[c * all_threads() +
// t].
struct KernelCase {
  std::string name;
  std::string ptx;
  unsigned threads = 32; // of a block
  unsigned blocks = 1;   // one cluster
  [[nodiscard]] unsigned all_threads() const { return threads * blocks; }
  std::vector<uint64_t> inputs;
  std::vector<std::string> cells; // what each holds
};

std::vector<KernelCase> kernel_cases();

// Collects instructions and cells into a KernelCase. Registers that the kernel finds set:
//   %t thread, %lane, %in and %out (of this thread), %v and %w (32 bits that differ from lane to lane), %vd (64 bits);
// free for use: %p0-%p7, %h0-%h9, %r0-%r19, %d0-%d19, %q0-%q3.
class KernelWriter {
public:
  // With several blocks these are one cluster, and %t counts the threads of all.
  explicit KernelWriter(std::string name, unsigned threads = 32, unsigned blocks = 1)
      : name_(std::move(name)), threads_(threads), blocks_(blocks) {}

  void declare(const std::string& text) { declarations_ += text + "\n"; } // module scope
  void code(const std::string& text) { body_ += text + "\n"; }
  // One more cell: the code, then its result, a register of the width given (1 for a predicate).
  void cell(const std::string& description, const std::string& text, const std::string& result, unsigned width);
  void input(std::vector<uint64_t> words) { inputs_ = std::move(words); }
  [[nodiscard]] KernelCase finish() const;

private:
  std::string name_;
  unsigned threads_, blocks_;
  std::string declarations_, body_;
  std::vector<std::string> cells_;
  std::vector<uint64_t> inputs_;
};

// The chapters.
void add_warp_kernels(std::vector<KernelCase>& out);
void add_atomic_kernels(std::vector<KernelCase>& out);
void add_memory_kernels(std::vector<KernelCase>& out);
void add_barrier_kernels(std::vector<KernelCase>& out);
void add_cluster_kernels(std::vector<KernelCase>& out);

} // namespace tollgate::test
