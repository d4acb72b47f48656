// fuzz_kernels --seed N --count M [--minutes K]: random kernels on the engine, plain and observed, against the scalar
// interpreter, bit for bit. fuzz_kernels FILE.ptx...: the same for kernels that were kept. With --gpu: a real GPU
// instead of the engine.
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
#include <map>
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
  std::string write_expected, expected; // files of hashes
  std::string cubins;                   // folder
  std::vector<std::string> files;
};

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool run_file(EngineRunner& engine, const std::string& path) {
  auto kernel = from_text(file_text(path));
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

// FNV-1a of what a kernel leaves behind.
uint64_t hash_of(const Outcome& outcome) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const auto* bytes : {&outcome.out, &outcome.sums})
    for (uint8_t byte : *bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

// What the interpreter says, ahead of time: minutes on the machine with the GPU are dear.
int write_expected(const Options& options) {
  std::ofstream out(options.write_expected);
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    const KernelCase kernel = generate_kernel(seed);
    const Outcome once = interpret(kernel, 1);
    if (!once.failure.empty() || !(interpret(kernel, 2) == once)) {
      fmt::print("seed {}: the generator went wrong\n", seed);
      continue;
    }
    out << fmt::format("{} {:016x}\n", seed, hash_of(once));
  }
  out.close();
  if (out) return 0;
  fmt::print(stderr, "fuzz_kernels: cannot write {}\n", options.write_expected);
  return 2;
}

std::string cubin_of(uint64_t seed, const Options& options) {
  return fmt::format("{}/seed_{}.cubin", options.cubins, seed);
}

std::map<uint64_t, uint64_t> read_expected(const std::string& file) {
  std::map<uint64_t, uint64_t> all;
  if (file.empty()) return all;
  std::ifstream in(file);
  uint64_t seed = 0, hash = 0;
  while (in >> std::dec >> seed >> std::hex >> hash) all[seed] = hash;
  if (all.empty()) throw std::runtime_error(file + ": no lines of seed and hash");
  return all;
}

// A real GPU against the interpreter, which the engine is compared with elsewhere.
int compare_with_gpu(const Options& options) {
  const auto known = read_expected(options.expected);
  GpuRunner gpu(options.gpu_optimisation);
  uint64_t wrong = 0;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    const KernelCase kernel = generate_kernel(seed);
    if (!options.cubins.empty() && !std::filesystem::exists(cubin_of(seed, options))) {
      fmt::print("seed {}: no code\n", seed);
      continue;
    }
    fmt::print("seed {}: ", seed); // what gpu_compare.sh goes on behind, should the GPU's compiler crash
    fflush(stdout);
    const Outcome got = gpu.run(kernel, options.cubins.empty() ? "" : file_text(cubin_of(seed, options)));
    const auto before = known.find(seed);
    if (before != known.end() && got.failure.empty() && hash_of(got) == before->second) {
      fmt::print("same\n");
      continue;
    }
    const Outcome expected = interpret(kernel, 1);
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

int compare_files_with_gpu(const Options& options) {
  GpuRunner gpu(options.gpu_optimisation);
  bool same = true;
  for (const std::string& path : options.files) {
    auto kernel = from_text(file_text(path));
    if (!kernel) throw std::runtime_error(path + ": " + kernel.error().to_string());
    const Outcome expected = interpret(*kernel, 1), got = gpu.run(*kernel);
    if (!(got == expected)) same = false;
    fmt::print("{}: {}\n", path, got == expected ? "same" : "different: " + difference(expected, got));
    fflush(stdout);
  }
  return same ? 0 : 1;
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
  app.add_option("--write-expected", options.write_expected, "file for hashes of the interpreter's answers; then stop");
  app.add_option("--expected", options.expected, "such a file, for --gpu");
  app.add_option("--cubins", options.cubins, "folder of seed_N.cubin to use in place of the driver's compiler");
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
  if (!options.write_expected.empty()) return write_expected(options);
  if (options.gpu) {
    try {
      return options.files.empty() ? compare_with_gpu(options) : compare_files_with_gpu(options);
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
