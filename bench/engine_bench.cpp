// How fast the engine runs three kernels, beside plain C++ and pocl. Real time; five repetitions with their median
// unless the command line says otherwise. Two threads everywhere but in native1.
#include "problem.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace {

bool failed = false; // some benchmark could not run, or got a wrong result

void fail(benchmark::State& state, const char* reason) {
  failed = true;
  state.SkipWithError(reason);
}

void measure(benchmark::State& state, const bench::Entry& entry) {
  try {
    const auto runner = entry.make();
    runner->run(); // code generation, first touch of the memory
    if (!runner->right()) return fail(state, "the result is wrong");
    for (auto _ : state) runner->run();
    if (!runner->right()) return fail(state, "the result is wrong");
    state.SetBytesProcessed(static_cast<int64_t>(entry.bytes) * state.iterations());
  } catch (const std::exception& problem) {
    fail(state, problem.what());
  }
}

bool given(int argc, char** argv, const char* option) {
  return std::any_of(argv, argv + argc,
                     [=](const char* arg) { return std::strncmp(arg, option, std::strlen(option)) == 0; });
}

} // namespace

int main(int argc, char** argv) {
  // The thread counts of the comparison, unless the user sets others. Both are read at first use.
  setenv("TOLLGATE_CONFIG", R"({"mode":"run","workers":2})", 0);
  setenv("POCL_MAX_PTHREAD_COUNT", "2", 0);

  std::vector<char*> arguments(argv, argv + argc);
  static char repetitions[] = "--benchmark_repetitions=5", aggregates[] = "--benchmark_display_aggregates_only=true";
  if (!given(argc, argv, "--benchmark_repetitions")) {
    arguments.push_back(repetitions);
    arguments.push_back(aggregates);
  }
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;

  std::vector<bench::Entry> entries;
  for (auto&& some : {bench::tollgate_entries(), bench::native_entries(), bench::pocl_entries()})
    entries.insert(entries.end(), some.begin(), some.end());
  std::stable_sort(entries.begin(), entries.end(), [](const bench::Entry& a, const bench::Entry& b) {
    return a.name.substr(0, a.name.find('/')) < b.name.substr(0, b.name.find('/'));
  });
  for (const auto& entry : entries)
    benchmark::RegisterBenchmark(entry.name.c_str(), [&entry](benchmark::State& state) { measure(state, entry); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  const size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran == 0 || failed ? 1 : 0;
}
