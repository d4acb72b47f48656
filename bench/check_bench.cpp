// What checking costs: the kernels of engine_bench, and a matrix product, with checks on and with none, the same PTX,
// one worker. The two are compared in one process: the engine is told to watch every second launch (as `tollgate check
// --shard 1/2` does), and a launch of next to nothing takes the turn of the other kind. Time is the processor's, so
// that other work on the machine counts little.
//
//   check_bench [--execution] [--ptx FILE] [benchmark options]
//
// --execution leaves the race checker out.
#include "problem.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <sys/resource.h>

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

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
    state.counters["process_MB"] = peak_megabytes(); // so far
  } catch (const std::exception& problem) {
    state.SkipWithError(problem.what());
  }
}

} // namespace

int main(int argc, char** argv) {
  std::string checks = "on", config = R"({"mode":"check","workers":1,"shard":1,"shards":2})";
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--execution") == 0) {
      checks = "execution";
      config = R"({"mode":"check","workers":1,"races":false,"shard":1,"shards":2})";
    } else if (std::strcmp(argv[i], "--ptx") == 0 && i + 1 < argc) {
      bench::ptx_file() = argv[++i];
    } else {
      rest.push_back(argv[i]);
    }
  }
  setenv("TOLLGATE_CONFIG", config.c_str(), 1);
  auto entries = bench::tollgate_entries();
  for (auto& entry : bench::tollgate_check_entries()) entries.push_back(std::move(entry));
  for (const bench::Entry& entry : entries) {
    const std::string problem = entry.name.substr(0, entry.name.find('/'));
    for (const bool watched : {true, false})
      benchmark::RegisterBenchmark((problem + "/" + (watched ? checks : "off")).c_str(),
                                   [entry, watched](benchmark::State& state) { measure(state, entry, watched); })
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
