// What checking costs: the kernels of engine_bench with all checks on and with none, the same PTX, one worker. The two
// are compared in one process: the engine is told to watch every second launch (as `tollgate check --shard 1/2` does),
// and a launch of next to nothing takes the turn of the other kind.
#include "problem.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <exception>

namespace {

void measure(benchmark::State& state, const bench::Entry& entry, bool watched) {
  static uint64_t launches = 0; // of this process so far; the odd ones are watched
  try {
    const auto runner = entry.make();
    const auto nothing = bench::tollgate_nothing();
    const auto run = [&] {
      if ((launches % 2 == 0) != watched) {
        nothing->run();
        ++launches;
      }
      runner->run();
      ++launches;
    };
    run(); // code generation, first touch of the memory
    for (auto _ : state) {
      state.PauseTiming();
      if ((launches % 2 == 0) != watched) {
        nothing->run();
        ++launches;
      }
      state.ResumeTiming();
      runner->run();
      ++launches;
    }
    if (!runner->right()) state.SkipWithError("the result is wrong");
    state.SetBytesProcessed(static_cast<int64_t>(entry.bytes) * state.iterations());
  } catch (const std::exception& problem) {
    state.SkipWithError(problem.what());
  }
}

} // namespace

int main(int argc, char** argv) {
  setenv("TOLLGATE_CONFIG", R"({"mode":"check","workers":1,"shard":1,"shards":2})", 1);
  for (const bench::Entry& entry : bench::tollgate_entries()) {
    const std::string problem = entry.name.substr(0, entry.name.find('/'));
    for (const bool watched : {true, false})
      benchmark::RegisterBenchmark((problem + (watched ? "/on" : "/off")).c_str(),
                                   [entry, watched](benchmark::State& state) { measure(state, entry, watched); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond)
          ->Repetitions(5)
          ->DisplayAggregatesOnly();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
