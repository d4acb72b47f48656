// The kernels of kernel_cases.h through the engine, against what a real H200 answered. Where nothing was recorded yet
// the kernels still have to run to their end.
#include "engine_run.h"
#include "golden_file.h"
#include "kernel_cases.h"
#include "open_differences.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace tollgate::test {
namespace {

const std::vector<KernelCase>& all_kernels() {
  static const std::vector<KernelCase> cases = kernel_cases();
  return cases;
}

const Goldens& goldens() {
  static const Goldens read =
      std::filesystem::exists(TOLLGATE_ISA_DIR "/goldens/kernels.txt") ? read_goldens("kernels") : Goldens{};
  return read;
}

class Kernels : public testing::TestWithParam<std::string> {};

void run_and_compare(const KernelCase& kernel) {
  LoadedModule module(kernel.ptx, kernel.name);
  const unsigned threads = kernel.all_threads();
  std::vector<uint64_t> out(kernel.cells.size() * threads);
  const auto result = module.run("k", kernel.blocks, kernel.threads, kernel.inputs, out);
  ASSERT_EQ(result.status, engine::Status::Success) << kernel.name << ": " << result.message;
  const auto found = goldens().find(kernel.name);
  if (found == goldens().end()) return;
  ASSERT_EQ(found->second.size(), out.size())
      << kernel.name << " has changed since it was recorded: run record_goldens.sh";
  for (size_t c = 0; c < kernel.cells.size(); ++c) {
    if (is_open_difference(kernel.name + ", " + kernel.cells[c])) {
      bool same = true;
      for (unsigned t = 0; t < threads; ++t) same &= out[c * threads + t] == found->second[c * threads + t];
      EXPECT_FALSE(same) << kernel.name << ", " << kernel.cells[c]
                         << " no longer differs: take it out of open_differences.h";
      continue;
    }
    for (unsigned t = 0; t < threads; ++t) {
      const size_t at = c * threads + t;
      if (out[at] == found->second[at]) continue;
      ADD_FAILURE() << kernel.name << ", " << kernel.cells[c] << ", thread " << t << ": 0x" << std::hex << out[at]
                    << ", an H200 gives 0x" << found->second[at];
      break;
    }
  }
}

std::string family(const KernelCase& kernel) { return kernel.name.substr(0, kernel.name.find_first_of(". ")); }

TEST_P(Kernels, AnswerAsAnH200) {
  for (const KernelCase& kernel : all_kernels())
    if (family(kernel) == GetParam()) run_and_compare(kernel);
}

std::vector<std::string> families() {
  std::set<std::string> names;
  for (const KernelCase& kernel : all_kernels()) names.insert(family(kernel));
  return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(Isa, Kernels, testing::ValuesIn(families()), [](const auto& info) { return info.param; });

} // namespace
} // namespace tollgate::test
