// Device code as the program registered it. Registration only takes notes; PTX is read, and symbols are looked up, when
// the first kernel or variable of a fat binary is used.
#pragma once

#include "cudart/runtime.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tollgate::cudart {

struct Binary;

struct VariableEntry {
  Binary* binary = nullptr;
  std::string name;
  void** managed_pointer = nullptr; // where the program keeps the address of a managed variable
};

} // namespace tollgate::cudart

// A kernel: what cudaKernel_t and cudaFunction_t point to.
struct CUkern_st {
  tollgate::cudart::Binary* binary = nullptr;
  std::string name;
  tollgate::engine::Kernel* kernel = nullptr; // once resolved
  bool prepared = false;
  cudaError_t error = cudaSuccess; // why it cannot be used
  uint64_t max_dynamic_shared = 0; // cudaFuncSetAttribute; 0: the default limit
  int carveout = -1;
  std::array<int, 3> required_cluster{0, 0, 0}; // cudaFuncSetAttribute
  bool non_portable_cluster = false;
};

namespace tollgate::cudart {

// One registered fat binary (or a loaded library).
struct Binary {
  const void* image = nullptr;
  bool is_wrapper = true;
  bool tried = false;
  engine::Module* module = nullptr;
  cudaError_t error = cudaSuccess;
  std::deque<CUkern_st> kernels;
  std::deque<VariableEntry> variables;
};

class Modules {
public:
  static Modules& get();

  Binary* add(const void* image, bool is_wrapper);
  void remove(Binary* binary);
  bool known(const Binary* binary);
  void add_kernel(Binary* binary, const void* host_function, std::string name);
  void add_variable(Binary* binary, const void* host_variable, std::string name, void** managed_pointer);

  cudaError_t load(Binary* binary);
  // `function`: the address of a host stub, or a kernel handle. nullptr if it is neither.
  CUkern_st* find_kernel(const void* function);
  CUkern_st* kernel_by_name(Binary* binary, std::string_view name);             // of a library
  cudaError_t resolve(CUkern_st& kernel);                                       // its module is loaded, its name found
  cudaError_t prepare(CUkern_st& kernel, const std::array<uint32_t, 3>& block); // and its code generated
  cudaError_t find_variable(const void* symbol, engine::VariableInfo& info);

private:
  cudaError_t load_locked(Binary* binary);
  cudaError_t resolve_locked(CUkern_st& kernel);

  std::recursive_mutex mutex_;
  std::map<const Binary*, std::unique_ptr<Binary>> binaries_;
  std::map<const void*, CUkern_st*> host_functions_;
  std::set<const void*> handles_;
  std::map<const void*, VariableEntry*> host_variables_;
};

} // namespace tollgate::cudart
