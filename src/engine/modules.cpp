#include "engine/modules.h"

#include "base/demangle.h"
#include "jit/code_cache.h"
#include "lower/kernel_lowering.h"
#include "ptx/parser.h"

#include <cstring>

namespace tollgate::engine {

namespace {

using ptx::Space;

// Separate compilation: the texts become one. Headers are kept once; later modules refer to earlier ones by name.
std::string join(std::span<const std::string> texts) {
  std::string out;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i == 0) {
      out += texts[i];
      continue;
    }
    size_t at = 0;
    while (at < texts[i].size()) {
      size_t end = std::min(texts[i].find('\n', at), texts[i].size());
      std::string_view line(texts[i].data() + at, end - at);
      bool header = line.starts_with(".version") || line.starts_with(".target") || line.starts_with(".address_size");
      out += header ? std::string_view() : line;
      out += '\n';
      at = end + 1;
    }
  }
  return out;
}

void patch(const std::vector<uint64_t>& addresses, std::vector<uint8_t>& bytes, const ptx::Relocation& r) {
  uint64_t value = uint64_t(r.addend);
  if (r.symbol.kind == ptx::SymbolKind::Function)
    value += lower::function_address(r.symbol.index);
  else
    value += addresses[r.symbol.index];
  if (r.size == 1) { // one byte of the address: 0xFF00(x)
    bytes[r.offset] = uint8_t(value >> (8 * r.byte));
    return;
  }
  memcpy(bytes.data() + r.offset, &value, r.size);
}

exec::VariableKind kind_of(const ptx::Variable& v) {
  if (v.is_managed) return exec::VariableKind::Managed;
  return v.space == Space::Const ? exec::VariableKind::Const : exec::VariableKind::Global;
}

KernelInfo describe(const ptx::Module& m, const ptx::Function& f) {
  KernelInfo info;
  info.name = f.name;
  for (const ptx::Variable& p : f.params) {
    uint32_t align = std::max(1u, p.align);
    info.param_bytes = (info.param_bytes + align - 1) / align * align;
    info.params.push_back({info.param_bytes, uint32_t(p.size), align});
    info.param_bytes += uint32_t(p.size);
  }
  for (const ptx::Variable& v : f.variables) {
    if (v.space == Space::Shared)
      info.static_shared_bytes = (info.static_shared_bytes + v.align - 1) / v.align * v.align + v.size;
    if (v.space == Space::Local) info.local_bytes += v.size;
  }
  for (const ptx::Variable& v : m.variables)
    if (v.space == Space::Const) info.const_bytes += v.size;
  uint64_t threads = uint64_t(f.reqntid[0]) * std::max(1u, f.reqntid[1]) * std::max(1u, f.reqntid[2]);
  if (threads == 0) threads = uint64_t(f.maxntid[0]) * std::max(1u, f.maxntid[1]) * std::max(1u, f.maxntid[2]);
  if (threads != 0) info.max_threads = uint32_t(std::min<uint64_t>(threads, 1024));
  if (f.reqnctapercluster[0] != 0)
    for (size_t i = 0; i < 3; ++i) info.cluster[i] = std::max(1u, f.reqnctapercluster[i]);
  info.max_cluster = f.maxclusterrank;
  info.needs_cluster = f.explicit_cluster;
  info.ptx_version = m.version_major * 10 + m.version_minor;
  info.target_sm = m.target_sm;
  return info;
}

} // namespace

Result<std::unique_ptr<Module>> load(std::span<const std::string> texts, std::string_view name,
                                     exec::DeviceMemory& memory) {
  std::string text = texts.size() == 1 ? texts[0] : join(texts);
  auto parsed = ptx::parse_module(text, name);
  if (!parsed) return parsed.error();
  auto module = std::make_unique<Module>();
  module->name = name;
  module->ptx = *parsed;
  module->digest = jit::digest(text);
  const ptx::Module& m = *module->ptx;
  // Addresses first: initialisers may refer to any variable.
  for (const ptx::Variable& v : m.variables) {
    bool in_memory = v.space == Space::Global || v.space == Space::Const;
    uint64_t address = 0;
    if (in_memory) {
      address = memory.allocate_variable(demangle_variable(v.name), std::max<uint64_t>(v.size, 1),
                                         std::max(16u, v.align), {}, kind_of(v));
      if (address == 0)
        return Error{.message = "no memory left for variable '" + v.name + "'",
                     .remedy = "",
                     .file = m.name,
                     .position = {},
                     .excerpt = ""};
    }
    module->addresses.push_back(address);
  }
  initialise(*module, memory);
  for (const ptx::Function& f : m.functions) {
    if (!f.is_entry || f.is_declaration) continue;
    auto kernel = std::make_unique<Kernel>();
    kernel->info = describe(m, f);
    kernel->module = module.get();
    kernel->demangled = demangle(f.name);
    module->kernels.emplace(f.name, std::move(kernel));
  }
  return module;
}

void initialise(const Module& module, exec::DeviceMemory& memory) {
  for (size_t i = 0; i < module.ptx->variables.size(); ++i) {
    const ptx::Variable& v = module.ptx->variables[i];
    if (v.size == 0 || module.addresses[i] == 0) continue;
    std::vector<uint8_t> bytes = v.init;
    bytes.resize(v.size, 0);
    for (const ptx::Relocation& r : v.relocations) patch(module.addresses, bytes, r);
    memcpy(memory.host_view(module.addresses[i], v.size), bytes.data(), v.size);
  }
}

void unload(Module& module, exec::DeviceMemory& memory) {
  for (uint64_t address : module.addresses)
    if (address != 0) memory.release_variable(address);
}

} // namespace tollgate::engine
