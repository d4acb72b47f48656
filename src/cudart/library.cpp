// Device code that the program loads itself, and the doors to the driver, which stay shut: there is none.
#include "cudart/modules.h"

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace tollgate;
using namespace tollgate::cudart;

struct CUlib_st {
  Binary* binary = nullptr;
  std::vector<char> bytes; // of a file, with a zero behind it
};

namespace {

std::mutex libraries_mutex;
std::set<cudaLibrary_t>& libraries() {
  static auto* set = new std::set<cudaLibrary_t>;
  return *set;
}

bool live(cudaLibrary_t library) {
  const std::lock_guard lock(libraries_mutex);
  return libraries().contains(library);
}

cudaError_t open_image(cudaLibrary_t* result, const void* image, std::vector<char> bytes) {
  auto library = std::make_unique<CUlib_st>();
  library->bytes = std::move(bytes);
  library->binary = Modules::get().add(image != nullptr ? image : library->bytes.data(), false);
  if (const cudaError_t error = Modules::get().load(library->binary); error != cudaSuccess) {
    Modules::get().remove(library->binary);
    return error;
  }
  const std::lock_guard lock(libraries_mutex);
  libraries().insert(library.get());
  *result = library.release();
  return cudaSuccess;
}

cudaError_t no_entry_point(const ApiSite& site, const char* symbol, void** function, int* status) {
  return call(site, [&](Runtime&) {
    if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
    *function = nullptr;
    if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

} // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, int*, void**, unsigned, int*, void**,
                                unsigned) {
  return call(TG_HERE, [&](Runtime&) {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    return open_image(library, code, {});
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* name, int*, void**, unsigned, int*, void**,
                                    unsigned) {
  return call(TG_HERE, [&](Runtime&) {
    if (library == nullptr || name == nullptr) return cudaErrorInvalidValue;
    std::ifstream file(name, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize(bytes.size() + 64); // zeros: the reader may look at a whole header
    return open_image(library, nullptr, std::move(bytes));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call(TG_HERE, [&](Runtime& runtime) {
    {
      const std::lock_guard lock(libraries_mutex);
      if (libraries().erase(library) == 0) return cudaErrorInvalidResourceHandle;
    }
    runtime.streams.synchronize_all();
    Modules::get().remove(library->binary);
    delete library;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call(TG_HERE, [&](Runtime&) {
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    if (!live(library)) return cudaErrorInvalidResourceHandle;
    *kernel = Modules::get().kernel_by_name(library->binary, name);
    return *kernel != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return call(TG_HERE, [&](Runtime& runtime) {
    if (name == nullptr) return cudaErrorInvalidValue;
    if (!live(library)) return cudaErrorInvalidResourceHandle;
    const auto info = runtime.engine.variable(library->binary->module, name);
    if (!info) return cudaErrorSymbolNotFound;
    if (address != nullptr) *address = reinterpret_cast<void*>(info->address);
    if (bytes != nullptr) *bytes = info->size;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return cudaLibraryGetGlobal(address, bytes, library, name);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long, int* status) {
  return no_entry_point(TG_HERE, symbol, function, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             int* status) {
  return no_entry_point(TG_HERE, symbol, function, status);
}
