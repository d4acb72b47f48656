// What compiled host code calls before main() and at each <<<>>>. The names and their order of use are a contract with
// nvcc and clang.
#include "cudart/launch.h"

#include <cstdlib>

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  const void* caller = nullptr;
};

// <<<>>> pushes, the stub pops; arguments of the kernel may hold launches of their own, hence a stack. An array: the
// program may launch from its exit handlers, after objects with destructors are gone.
//
// Small: the library's thread-local storage is static, since a signal handler reads some of it, and a program that
// loads the library by dlopen (Python does) has little static storage left.
constexpr size_t deepest_nesting = 8;
thread_local CallConfiguration configurations[deepest_nesting];
thread_local size_t configuration_count = 0;
thread_local const void* launch_caller = nullptr; // of the configuration popped last

cudaError_t launch_from_stub(const ApiSite& site, const void* function, dim3 grid, dim3 block, void** args,
                             size_t shared, cudaStream_t stream, cudaError_t bad_size) {
  const void* caller = std::exchange(launch_caller, nullptr);
  const ApiSite at{site.name, caller != nullptr ? caller : site.caller};
  return record_launch(at, guarded(at, [&](Runtime& runtime) {
                         return launch(runtime, Modules::get().find_kernel(function),
                                       {grid, block, {}, shared, false, bad_size}, args, stream, at.caller);
                       }));
}

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

} // namespace

void** __cudaRegisterFatBinary(void* wrapper) { return reinterpret_cast<void**>(Modules::get().add(wrapper, true)); }

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Binary* binary = binary_of(handle);
  if (!Modules::get().known(binary)) return;
  // Kernels of the binary may still run; a program that never used one needs no engine.
  if (binary->tried) {
    Runtime& runtime = Runtime::get();
    if (runtime.closed || runtime.forked || engine::StreamSet::on_worker_thread()) return;
    runtime.streams.synchronize_all();
  }
  Modules::get().remove(binary);
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  Modules::get().add_kernel(binary_of(handle), host_function, device_name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t, int, int) {
  Modules::get().add_variable(binary_of(handle), host_variable, device_name, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int, size_t, int,
                              int) {
  Modules::get().add_variable(binary_of(handle), host_pointer, device_name, host_pointer);
}

// References to variables defined elsewhere carry nothing we need.
void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}

char __cudaInitModule(void** handle) {
  const cudaError_t error = guarded(TG_HERE, [&](Runtime&) { return Modules::get().load(binary_of(handle)); });
  return error == cudaSuccess ? 1 : 0;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  if (configuration_count == deepest_nesting) return 1; // the launch does not take place
  configurations[configuration_count++] = {grid, block, shared, stream, __builtin_return_address(0)};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configuration_count == 0) return record(TG_HERE, cudaErrorMissingConfiguration);
  const CallConfiguration top = configurations[--configuration_count];
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  launch_caller = top.caller;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = Modules::get().find_kernel(host_function);
  return *kernel != nullptr ? cudaSuccess : record(TG_HERE, cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared,
                               cudaStream_t stream) {
  return launch_from_stub(TG_HERE, kernel, grid, block, args, shared, stream, cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                             cudaStream_t stream) {
  return launch_from_stub(TG_HERE, function, grid, block, args, shared, stream, cudaErrorInvalidConfiguration);
}
