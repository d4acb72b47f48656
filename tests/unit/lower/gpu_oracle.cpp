// Asks a real GPU what the instructions of gpu_cases.txt give: gpu_oracle gpu_cases.txt results.txt
// Needs the CUDA driver at run time only. results.txt has a line "hash text" for each case, then all result words when a
// third argument names a file for them.
#include "gpu_cases.h"

#include <cstdio>
#include <dlfcn.h>
#include <iostream>

using namespace tollgate::test;

namespace {

using Handle = void*;

struct Driver {
  Handle library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F> F get(const char* name) {
    void* symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) throw std::runtime_error(std::string("no CUDA driver: ") + name);
    return reinterpret_cast<F>(symbol);
  }
  static void check(int status, const char* what) {
    if (status != 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status));
  }
};

const char* const names[] = {"a", "b", "c", "e"};

std::string ptx_of(const GpuCase& entry) {
  std::ostringstream ptx;
  ptx << ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
         ".reg .b64 %i, %o, %x;\n.reg .b32 %t, %n, %u;\n"
         "mov.u32 %t, %tid.x;\nmov.u32 %u, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %t, %u, %n, %t;\n"
         "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\n"
         "mad.wide.u32 %i, %t, 32, %i;\nmad.wide.u32 %o, %t, 8, %o;\n";
  for (size_t j = 0; j < entry.sources.size(); ++j) {
    const unsigned width = sample_width(entry.sources[j]);
    const char* name = names[j];
    ptx << "ld.global.u64 %x, [%i+" << 8 * j << "];\n";
    if (width == 1) ptx << ".reg .pred " << name << ";\nsetp.ne.u64 " << name << ", %x, 0;\n";
    else ptx << ".reg .b" << width << " " << name << ";\ncvt.u" << width << ".u64 " << name << ", %x;\n";
  }
  if (entry.result_width == 1) ptx << ".reg .pred d;\n" << entry.text << ";\nselp.u64 %x, 1, 0, d;\n";
  else ptx << ".reg .b" << entry.result_width << " d;\n" << entry.text << ";\ncvt.u64.u" << entry.result_width << " %x, d;\n";
  ptx << "st.global.u64 [%o], %x;\nret;\n}\n";
  return ptx.str();
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: gpu_oracle CASES RESULTS [WORDS]\n", stderr), 2;
  try {
    Driver driver;
    Handle context = nullptr;
    uint64_t in = 0, out = 0;
    Driver::check(driver.get<int (*)(unsigned)>("cuInit")(0), "cuInit");
    Driver::check(driver.get<int (*)(Handle*, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
    Driver::check(driver.get<int (*)(Handle)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
    const auto allocate = driver.get<int (*)(uint64_t*, size_t)>("cuMemAlloc_v2");
    Driver::check(allocate(&in, gpu_case_inputs * 32), "cuMemAlloc");
    Driver::check(allocate(&out, gpu_case_inputs * 8), "cuMemAlloc");
    const auto load = driver.get<int (*)(Handle*, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx");
    const auto function_of = driver.get<int (*)(Handle*, Handle, const char*)>("cuModuleGetFunction");
    const auto launch = driver.get<int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**)>("cuLaunchKernel");
    const auto to_device = driver.get<int (*)(uint64_t, const void*, size_t)>("cuMemcpyHtoD_v2");
    const auto to_host = driver.get<int (*)(void*, uint64_t, size_t)>("cuMemcpyDtoH_v2");
    std::ofstream results(argv[2]);
    std::ofstream words;
    if (argc > 3) words.open(argv[3], std::ios::binary);
    for (const GpuCase& entry : read_gpu_cases(argv[1])) {
      Handle module = nullptr, kernel = nullptr;
      char log[2000] = "";
      int options[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
      void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
      if (load(&module, ptx_of(entry).c_str(), 2, options, values) != 0) {
        std::cerr << entry.text << ": " << log << "\n";
        continue;
      }
      const std::vector<uint64_t> inputs = inputs_of(entry);
      std::vector<uint64_t> answers(gpu_case_inputs);
      void* arguments[] = {&in, &out};
      Driver::check(to_device(in, inputs.data(), inputs.size() * 8), "copy to the device");
      Driver::check(function_of(&kernel, module, "k"), "cuModuleGetFunction");
      Driver::check(launch(kernel, gpu_case_inputs / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel");
      Driver::check(to_host(answers.data(), out, answers.size() * 8), "copy from the device");
      results << std::hex << hash_of(answers) << " " << entry.text << "\n";
      if (words) words.write(reinterpret_cast<const char*>(answers.data()), static_cast<std::streamsize>(answers.size() * 8));
    }
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "gpu_oracle: %s\n", error.what()), 1;
  }
}
