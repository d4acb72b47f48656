#include "cudart/modules.h"

#include "cudart/fatbin.h"

namespace tollgate::cudart {

Modules& Modules::get() {
  static auto* modules = new Modules; // used from the program's own exit handlers
  return *modules;
}

Binary* Modules::add(const void* image, bool is_wrapper) {
  auto binary = std::make_unique<Binary>();
  binary->image = image;
  binary->is_wrapper = is_wrapper;
  const std::lock_guard lock(mutex_);
  Binary* result = binary.get();
  binaries_[result] = std::move(binary);
  return result;
}

bool Modules::known(const Binary* binary) {
  const std::lock_guard lock(mutex_);
  return binaries_.contains(binary);
}

void Modules::remove(Binary* binary) {
  const std::lock_guard lock(mutex_);
  if (!binaries_.contains(binary)) return;
  for (const CUkern_st& kernel : binary->kernels) handles_.erase(&kernel);
  std::erase_if(host_functions_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(host_variables_, [&](const auto& entry) { return entry.second->binary == binary; });
  if (binary->module != nullptr) the_engine().unload_module(binary->module);
  binaries_.erase(binary);
}

void Modules::add_kernel(Binary* binary, const void* host_function, std::string name) {
  const std::lock_guard lock(mutex_);
  CUkern_st& kernel = binary->kernels.emplace_back();
  kernel.binary = binary;
  kernel.name = std::move(name);
  host_functions_[host_function] = &kernel;
  handles_.insert(&kernel);
}

void Modules::add_variable(Binary* binary, const void* host_variable, std::string name, void** managed_pointer) {
  const std::lock_guard lock(mutex_);
  VariableEntry& variable = binary->variables.emplace_back();
  variable = {binary, std::move(name), managed_pointer};
  host_variables_[host_variable] = &variable;
}

cudaError_t Modules::load(Binary* binary) {
  const std::lock_guard lock(mutex_);
  return load_locked(binary);
}

cudaError_t Modules::load_locked(Binary* binary) {
  if (binary->tried) return binary->error;
  binary->tried = true;
  engine::Engine& engine = the_engine();
  const unsigned sm = engine.config().sm;
  auto ptx = binary->is_wrapper ? ptx_of_wrapper(binary->image, sm) : ptx_of_image(binary->image, sm);
  if (!ptx) {
    print_error(ptx.error());
    return binary->error = cudaErrorNoKernelImageForDevice;
  }
  auto module = engine.load_module(*ptx, host_offset(static_cast<const char*>(binary->image) + 1));
  if (!module) {
    print_error(module.error());
    return binary->error = cudaErrorInvalidPtx;
  }
  binary->module = *module;
  for (const VariableEntry& variable : binary->variables) {
    if (variable.managed_pointer == nullptr) continue;
    const auto info = engine.variable(binary->module, variable.name);
    if (!info) {
      print_error(info.error());
      return binary->error = cudaErrorInvalidSymbol;
    }
    *variable.managed_pointer = reinterpret_cast<void*>(info->address);
  }
  return cudaSuccess;
}

CUkern_st* Modules::find_kernel(const void* function) {
  const std::lock_guard lock(mutex_);
  if (const auto it = host_functions_.find(function); it != host_functions_.end()) return it->second;
  if (!handles_.contains(function)) return nullptr;
  return static_cast<CUkern_st*>(const_cast<void*>(function));
}

CUkern_st* Modules::kernel_by_name(Binary* binary, std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (CUkern_st& kernel : binary->kernels) {
    if (kernel.name == name) return &kernel;
  }
  if (load_locked(binary) != cudaSuccess) return nullptr;
  const auto found = the_engine().kernel(binary->module, name);
  if (!found) return nullptr;
  CUkern_st& kernel = binary->kernels.emplace_back();
  kernel.binary = binary;
  kernel.name = name;
  kernel.kernel = *found;
  handles_.insert(&kernel);
  return &kernel;
}

cudaError_t Modules::resolve(CUkern_st& kernel) {
  const std::lock_guard lock(mutex_);
  return resolve_locked(kernel);
}

cudaError_t Modules::resolve_locked(CUkern_st& kernel) {
  if (kernel.kernel != nullptr || kernel.error != cudaSuccess) return kernel.error;
  if (const cudaError_t error = load_locked(kernel.binary); error != cudaSuccess) return kernel.error = error;
  const auto found = the_engine().kernel(kernel.binary->module, kernel.name);
  if (!found) {
    print_error(found.error());
    return kernel.error = cudaErrorInvalidDeviceFunction;
  }
  kernel.kernel = *found;
  return cudaSuccess;
}

cudaError_t Modules::prepare(CUkern_st& kernel, const std::array<uint32_t, 3>& block) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = resolve_locked(kernel); error != cudaSuccess || kernel.prepared) return error;
  const auto prepared = the_engine().prepare(kernel.kernel, block);
  // What is not modelled has been reported already.
  if (prepared.status == engine::Status::NotSupported) return kernel.error = cudaErrorNotSupported;
  if (prepared.status != engine::Status::Success) {
    print_message(prepared.message);
    return kernel.error = cudaErrorInvalidPtx;
  }
  kernel.prepared = true;
  return cudaSuccess;
}

// A program names a managed variable by its address, since the host symbol is the pointer that holds it.
cudaError_t Modules::find_variable(const void* symbol, engine::VariableInfo& info) {
  const std::lock_guard lock(mutex_);
  const VariableEntry* found = nullptr;
  if (const auto it = host_variables_.find(symbol); it != host_variables_.end()) found = it->second;
  for (auto it = host_variables_.begin(); found == nullptr && symbol != nullptr && it != host_variables_.end(); ++it) {
    if (it->second->managed_pointer != nullptr && *it->second->managed_pointer == symbol) found = it->second;
  }
  if (found == nullptr) return cudaErrorInvalidSymbol;
  if (const cudaError_t error = load_locked(found->binary); error != cudaSuccess) return error;
  const auto variable = the_engine().variable(found->binary->module, found->name);
  if (!variable) return cudaErrorInvalidSymbol;
  info = *variable;
  return cudaSuccess;
}

} // namespace tollgate::cudart
