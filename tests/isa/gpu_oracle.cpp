// Asks a real GPU what the tests of this folder expect: gpu_oracle gpu_cases.txt OUTPUT_FOLDER (record_goldens.sh).
// Needs the CUDA driver at run time only. Writes instructions.{txt,bin,rejected} and kernels.{txt,bin,rejected}: a line
// "hash, number of words, case" and the words for each case, or the driver's complaint.
#include "gpu_cases.h"
#include "kernel_cases.h"

#include <cstdio>
#include <dlfcn.h>
#include <iostream>

using namespace tollgate::test;

namespace {

using Handle = void*;

class Driver {
public:
  Driver() {
    Handle context = nullptr;
    check(get<int (*)(unsigned)>("cuInit")(0), "cuInit");
    check(get<int (*)(Handle*, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
    check(get<int (*)(Handle)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }

  // Runs kernel k(in, out) of a module; false where the driver refuses the PTX, with its log.
  bool run(const std::string& ptx, unsigned blocks, unsigned threads, const std::vector<uint64_t>& in,
           std::vector<uint64_t>& out, std::string& log) {
    Handle module = nullptr, kernel = nullptr;
    char text[4000] = "";
    int options[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
    void* values[] = {text, reinterpret_cast<void*>(sizeof text)};
    if (get<int (*)(Handle*, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx")(&module, ptx.c_str(), 2,
                                                                                         options, values) != 0) {
      log = text;
      return false;
    }
    uint64_t from = 0, to = 0;
    const auto allocate = get<int (*)(uint64_t*, size_t)>("cuMemAlloc_v2");
    const auto copy = get<int (*)(uint64_t, const void*, size_t)>("cuMemcpyHtoD_v2");
    check(allocate(&from, in.size() * 8 + 8), "cuMemAlloc");
    check(allocate(&to, out.size() * 8), "cuMemAlloc");
    check(copy(from, in.data(), in.size() * 8), "copy to the device");
    check(copy(to, out.data(), out.size() * 8), "copy to the device");
    void* arguments[] = {&from, &to};
    check(get<int (*)(Handle*, Handle, const char*)>("cuModuleGetFunction")(&kernel, module, "k"),
          "cuModuleGetFunction");
    check(get<int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                      void**)>("cuLaunchKernel")(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
    check(get<int (*)()>("cuCtxSynchronize")(), "the kernel");
    check(get<int (*)(void*, uint64_t, size_t)>("cuMemcpyDtoH_v2")(out.data(), to, out.size() * 8),
          "copy from the device");
    const auto release = get<int (*)(uint64_t)>("cuMemFree_v2");
    check(release(from), "cuMemFree");
    check(release(to), "cuMemFree");
    check(get<int (*)(Handle)>("cuModuleUnload")(module), "cuModuleUnload");
    return true;
  }

private:
  Handle library_ = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F> F get(const char* name) {
    void* symbol = library_ ? dlsym(library_, name) : nullptr;
    if (!symbol) throw std::runtime_error(std::string("no CUDA driver: ") + name);
    return reinterpret_cast<F>(symbol);
  }
  static void check(int status, const char* what) {
    if (status != 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status));
  }
};

class Recorder {
public:
  explicit Recorder(const std::string& base)
      : index_(base + ".txt"), words_(base + ".bin", std::ios::binary), rejected_(base + ".rejected") {}
  void answers(const std::string& name, const uint64_t* words, size_t count) {
    const std::vector<uint64_t> copy(words, words + count);
    index_ << std::hex << hash_of(copy) << std::dec << " " << count << " " << name << "\n";
    words_.write(reinterpret_cast<const char*>(words), static_cast<std::streamsize>(count * 8));
  }
  void refused(const std::string& name, const std::string& log) {
    rejected_ << name << "\n";
    std::cerr << name << ": " << log << "\n";
  }

private:
  std::ofstream index_, words_, rejected_;
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
    if (width == 1)
      ptx << ".reg .pred " << name << ";\nsetp.ne.u64 " << name << ", %x, 0;\n";
    else
      ptx << ".reg .b" << width << " " << name << ";\ncvt.u" << width << ".u64 " << name << ", %x;\n";
  }
  if (entry.result_width == 1)
    ptx << ".reg .pred d;\n" << entry.text << ";\nselp.u64 %x, 1, 0, d;\n";
  else
    ptx << ".reg .b" << entry.result_width << " d;\n"
        << entry.text << ";\ncvt.u64.u" << entry.result_width << " %x, d;\n";
  ptx << "st.global.u64 [%o], %x;\nret;\n}\n";
  return ptx.str();
}

void record_instructions(Driver& driver, const std::string& cases, const std::string& folder) {
  Recorder recorder(folder + "/instructions");
  for (const GpuCase& entry : read_gpu_cases(cases)) {
    std::vector<uint64_t> out(gpu_case_inputs);
    std::string log;
    if (driver.run(ptx_of(entry), gpu_case_inputs / 128, 128, inputs_of(entry), out, log))
      recorder.answers(entry.text, out.data(), out.size());
    else
      recorder.refused(entry.text, log);
  }
}

void record_kernels(Driver& driver, const std::string& folder) {
  Recorder recorder(folder + "/kernels");
  for (const KernelCase& kernel : kernel_cases()) {
    std::vector<uint64_t> out(kernel.cells.size() * kernel.all_threads());
    std::string log;
    if (!driver.run(kernel.ptx, kernel.blocks, kernel.threads, kernel.inputs, out, log)) {
      recorder.refused(kernel.name, log);
      continue;
    }
    recorder.answers(kernel.name, out.data(), out.size());
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--ptx") { // the kernels' texts, to be looked at or given to ptxas
    int n = 0;
    for (const KernelCase& kernel : kernel_cases())
      std::ofstream(argv[2] + ("/" + std::to_string(n++)) + ".ptx") << "// " << kernel.name << "\n" << kernel.ptx;
    return 0;
  }
  if (argc != 3) return std::fputs("usage: gpu_oracle CASES FOLDER | gpu_oracle --ptx FOLDER\n", stderr), 2;
  try {
    Driver driver;
    record_instructions(driver, argv[1], argv[2]);
    record_kernels(driver, argv[2]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "gpu_oracle: %s\n", error.what()), 1;
  }
}
