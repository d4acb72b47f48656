// emit_code PTX KERNEL EVENTS: prints the optimised LLVM code of one kernel, which is all that the code generator gets.
// EVENTS is a number, the observe::EventSet that the code is made for.
#include "exec/address.h"
#include "exec/runtime_symbols.h"
#include "jit/jit.h"
#include "lower/kernel_lowering.h"
#include "observe/observer.h"
#include "ptx/parser.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int fail(const std::string& what) {
  std::cerr << "emit_code: " << what << '\n';
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  using namespace tollgate;
  if (argc != 4) return fail("usage: emit_code PTX KERNEL EVENTS");
  const auto module = ptx::parse_module(contents(argv[1]), argv[1]);
  if (!module) return fail(module.error().to_string());
  auto lowered = lower::lower_kernel(*module, argv[2], {});
  if (!lowered) return fail(lowered.error().to_string());
  const auto symbols = exec::runtime_symbols();
  auto jit = jit::Jit::create(symbols);
  if (!jit) return fail(jit.error().to_string());

  const int events = std::atoi(argv[3]);
  jit::CompileOptions options;
  options.widen.bias = exec::kBias;
  options.widen.observe_memory = (events & observe::MemoryEvents) != 0;
  options.widen.observe_barriers = (events & observe::BarrierEvents) != 0;
  options.dump_prefix = (std::filesystem::temp_directory_path() / ("emit_code." + std::to_string(getpid()))).string();
  const auto code = (*jit)->compile(std::move(*lowered), options);
  if (!code) return fail(code.error().to_string());
  std::cout << contents(options.dump_prefix + ".opt.ll");
  for (const char* stage : {".lane.ll", ".wide.ll", ".opt.ll"}) std::filesystem::remove(options.dump_prefix + stage);
  return std::cout.flush() ? 0 : fail("cannot write");
}
