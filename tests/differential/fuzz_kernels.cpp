// fuzz_kernels --seed N --count M [--minutes K]: random kernels on the engine, plain and observed, against the scalar
// interpreter, bit for bit. fuzz_kernels FILE.ptx...: the same for kernels that were kept.
#include "compare.h"
#include "gpu_runner.h"
#include "kernel_generator.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

using namespace tollgate::differential;
using Clock = std::chrono::steady_clock;

struct Options {
  uint64_t seed = 1, count = 50;
  double minutes = 0, minimise_seconds = 60;
  std::string output = ".";
  int gpu_optimisation = 4;
  bool print = false, keep_going = false, gpu = false;
  std::vector<std::string> files;
};

bool run_file(EngineRunner& engine, const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  auto kernel = from_text(text.str());
  if (!kernel) {
    fmt::print(stderr, "{}: {}\n", path, kernel.error().to_string());
    return false;
  }
  Verdict v = compare(engine, *kernel);
  if (v.kind == Verdict::Kind::Same) return true;
  fmt::print("{}: {}: {}\n", path, v.kind == Verdict::Kind::Different ? "different" : "not well defined", v.detail);
  return false;
}

bool run_seed(EngineRunner& engine, uint64_t seed, const Options& options) {
  KernelCase kernel = generate_kernel(seed);
  Verdict v = compare(engine, kernel);
  if (v.kind == Verdict::Kind::Same) return true;
  std::filesystem::create_directories(options.output);
  std::string path = fmt::format("{}/seed_{}.ptx", options.output, seed);
  fmt::print("seed {}: {}: {}\n", seed, v.kind == Verdict::Kind::Different ? "different" : "the generator went wrong",
             v.detail);
  fflush(stdout);
  std::ofstream(path) << to_text(kernel);
  if (v.kind == Verdict::Kind::Different && options.minimise_seconds > 0) {
    path = fmt::format("{}/seed_{}_min.ptx", options.output, seed);
    std::ofstream(path) << to_text(minimise(kernel, options.minimise_seconds, [&](const KernelCase& k) {
      return compare(engine, k).kind == Verdict::Kind::Different;
    }));
  }
  fmt::print("  kept as {}\n", path);
  fflush(stdout);
  return false;
}

// A real GPU against the interpreter, which the engine is compared with elsewhere.
int compare_with_gpu(const Options& options) {
  GpuRunner gpu(options.gpu_optimisation);
  uint64_t wrong = 0;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    const KernelCase kernel = generate_kernel(seed);
    fmt::print("seed {}: ", seed); // what gpu_compare.sh goes on behind, should the GPU's compiler crash
    fflush(stdout);
    const Outcome expected = interpret(kernel, 1), got = gpu.run(kernel);
    if (got == expected) {
      fmt::print("same\n");
      continue;
    }
    if (!(interpret(kernel, 2) == expected)) {
      fmt::print("the generator went wrong: its answer depends on the schedule\n");
      continue;
    }
    ++wrong;
    std::filesystem::create_directories(options.output);
    std::ofstream(fmt::format("{}/seed_{}.ptx", options.output, seed)) << to_text(kernel);
    fmt::print("different: {}\n", difference(expected, got));
    fflush(stdout);
    if (options.minimise_seconds > 0 && got.failure.empty()) {
      const KernelCase small = minimise(kernel, options.minimise_seconds, [&](const KernelCase& k) {
        const Outcome want = interpret(k, 1);
        if (!want.failure.empty() || !(interpret(k, 2) == want)) return false;
        const Outcome seen = gpu.run(k);
        return seen.failure.empty() && !(seen == want);
      });
      std::ofstream(fmt::format("{}/seed_{}_min.ptx", options.output, seed)) << to_text(small);
    }
    if (!options.keep_going) break;
  }
  fmt::print("{} kernels compared with the GPU, from seed {}: {} different\n", options.count, options.seed, wrong);
  return wrong == 0 ? 0 : 1;
}

int fuzz(EngineRunner& engine, const Options& options) {
  auto start = Clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  uint64_t done = 0, wrong = 0;
  double told = 0;
  bool timed = options.minutes > 0;
  for (uint64_t seed = options.seed; timed ? seconds() < options.minutes * 60 : done < options.count; ++seed) {
    ++done;
    if (!run_seed(engine, seed, options)) {
      ++wrong;
      if (!options.keep_going) break;
    }
    if (seconds() - told < 60) continue;
    told = seconds();
    fmt::print("{} kernels in {:.0f} s, {} different, next seed {}\n", done, told, wrong, seed + 1);
    fflush(stdout);
  }
  fmt::print("{} kernels compared, from seed {}, in {:.1f} s: {} different\n", done, options.seed, seconds(), wrong);
  return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Random kernels on the engine against the scalar interpreter");
  app.add_option("--seed", options.seed, "first seed");
  app.add_option("--count", options.count, "how many kernels");
  app.add_option("--minutes", options.minutes, "run this long instead of counting");
  app.add_option("--minimise-seconds", options.minimise_seconds,
                 "time to spend on making a difference smaller; 0: none");
  app.add_option("--output", options.output, "folder for kernels that differ");
  app.add_flag("--print", options.print, "print the kernel of --seed and stop");
  app.add_flag("--gpu", options.gpu, "compare the interpreter with a real GPU instead of the engine");
  app.add_option("--gpu-optimisation", options.gpu_optimisation,
                 "level of the GPU's own compiler; where only level 0 agrees, its optimiser is to blame")
      ->check(CLI::Range(0, 4));
  app.add_flag("--keep-going", options.keep_going, "go on after a difference");
  app.add_option("files", options.files, "kernels to compare instead");
  CLI11_PARSE(app, argc, argv);
  if (options.print) {
    fmt::print("{}", to_text(generate_kernel(options.seed)));
    return 0;
  }
  if (options.gpu) {
    try {
      return compare_with_gpu(options);
    } catch (const std::runtime_error& problem) {
      fmt::print(stderr, "fuzz_kernels: {}\n", problem.what());
      return 2;
    } catch (const GpuRunner::Stuck&) {
      fmt::print("different: does not end on the GPU\n");
      fflush(stdout);
      std::quick_exit(3); // the driver would wait for the kernel
    }
  }
  EngineRunner engine;
  if (options.files.empty()) return fuzz(engine, options);
  bool good = true;
  for (const std::string& path : options.files) good &= run_file(engine, path);
  return good ? 0 : 1;
}
