#include "lower/kernel_lowering.h"

#include "base/demangle.h"
#include "lower/body.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <functional>

namespace tollgate::lower {

using namespace llvm;

namespace {

using ptx::Operand;
using ptx::Space;
using ptx::SymbolKind;

void for_each_operand(const Operand& operand, const std::function<void(const Operand&)>& fn) {
  fn(operand);
  for (const Operand& e : operand.list) for_each_operand(e, fn);
}

// Who calls whom, and whose address is taken: by an instruction other than a direct call, or by an initialiser.
struct CallGraph {
  std::vector<std::set<uint32_t>> callees;
  std::set<uint32_t> address_taken;
  std::set<uint32_t> has_indirect;

  explicit CallGraph(const ptx::Module& m) : callees(m.functions.size()) {
    for (const ptx::Variable& v : m.variables)
      for (const ptx::Relocation& r : v.relocations)
        if (r.symbol.kind == SymbolKind::Function) address_taken.insert(r.symbol.index);
    for (uint32_t f = 0; f < m.functions.size(); ++f)
      for (const ptx::Instruction& inst : m.functions[f].instructions) scan(f, inst);
    // An indirect call may reach any function whose address is taken.
    for (uint32_t f : has_indirect) callees[f].insert(address_taken.begin(), address_taken.end());
  }

  void scan(uint32_t f, const ptx::Instruction& inst) {
    bool is_call = inst.form->name == "call";
    for (const Operand& operand : inst.operands) {
      if (is_call && operand.kind == Operand::Kind::SymbolAddress && operand.symbol->kind == SymbolKind::Function) {
        callees[f].insert(operand.symbol->index);
        continue;
      }
      if (is_call && operand.kind == Operand::Kind::Register) has_indirect.insert(f);
      for_each_operand(operand, [&](const Operand& o) {
        if (o.symbol && o.symbol->kind == SymbolKind::Function) address_taken.insert(o.symbol->index);
      });
    }
  }

  // Functions that can reach themselves.
  std::set<uint32_t> recursive() const {
    std::set<uint32_t> out;
    for (uint32_t f = 0; f < callees.size(); ++f) {
      std::set<uint32_t> seen;
      std::vector<uint32_t> work(callees[f].begin(), callees[f].end());
      while (!work.empty()) {
        uint32_t g = work.back();
        work.pop_back();
        if (!seen.insert(g).second) continue;
        work.insert(work.end(), callees[g].begin(), callees[g].end());
      }
      if (seen.contains(f)) out.insert(f);
    }
    return out;
  }

  std::set<uint32_t> reachable(uint32_t from) const {
    std::set<uint32_t> seen;
    std::vector<uint32_t> work{from};
    while (!work.empty()) {
      uint32_t g = work.back();
      work.pop_back();
      if (!seen.insert(g).second) continue;
      work.insert(work.end(), callees[g].begin(), callees[g].end());
    }
    return seen;
  }
};

// Static shared memory: module variables that a reachable function names, then those demoted into bodies.
void lay_out_shared(KernelState& state, const std::set<uint32_t>& reachable) {
  const ptx::Module& m = *state.ptx;
  std::set<uint32_t> used;
  bool reserves = false;
  for (uint32_t f : reachable)
    for (const ptx::Instruction& inst : m.functions[f].instructions)
      for (const Operand& operand : inst.operands)
        for_each_operand(operand, [&](const Operand& o) {
          reserves |= o.kind == Operand::Kind::Special && reserved_shared_offset(o.special);
          if (o.symbol && o.symbol->kind == SymbolKind::ModuleVar) used.insert(o.symbol->index);
        });
  uint64_t at = 0, without_zones = 0;
  const unsigned zone = state.options.shared_red_zone; // with zones each begins a line, as large arrays do without
  auto place = [&](std::pair<uint32_t, uint32_t> key, const ptx::Variable& v) {
    at = alignTo(at, Align(std::max(zone == 0 ? 1u : 128u, v.align)));
    state.shared_offset[key] = at;
    state.shared_names.push_back({demangle_variable(v.name), at, v.size});
    at += v.size + (v.size == 0 ? 0 : zone);
    without_zones = alignTo(without_zones, Align(std::max(1u, v.align))) + v.size;
  };
  std::vector<uint32_t> dynamic;
  for (uint32_t i : used) {
    const ptx::Variable& v = m.variables[i];
    if (v.space != Space::Shared) continue;
    if (v.size == 0)
      dynamic.push_back(i); // extern __shared__ arrays all start behind the static ones
    else
      place({0, i}, v);
  }
  for (uint32_t f : reachable)
    for (uint32_t i = 0; i < m.functions[f].variables.size(); ++i)
      if (m.functions[f].variables[i].space == Space::Shared) place({f + 1, i}, m.functions[f].variables[i]);
  if (reserves) {
    at = alignTo(at, Align(128));
    state.reserved_shared = at;
    state.shared_names.push_back({"reserved shared memory", at, kReservedSharedBytes, true});
    at += kReservedSharedBytes;
    without_zones = alignTo(without_zones, Align(128)) + kReservedSharedBytes;
    state.reserved_shared_bytes = kReservedSharedBytes;
  }
  uint32_t align = 16;
  for (uint32_t i : dynamic) align = std::max(align, m.variables[i].align);
  at = alignTo(at, Align(align));
  for (uint32_t i : dynamic) {
    state.shared_offset[{0, i}] = at;
    state.shared_names.push_back({demangle_variable(m.variables[i].name), at, 0});
  }
  state.static_shared_bytes = at;
  state.device_shared_bytes = alignTo(without_zones, Align(align));
}

} // namespace

std::optional<uint64_t> reserved_shared_offset(ptx::SpecialReg reg) {
  switch (reg) {
  case ptx::SpecialReg::ReservedSmemOffsetBegin:
  case ptx::SpecialReg::ReservedSmemOffset0: return 0;
  case ptx::SpecialReg::ReservedSmemOffset1: return 128; // cooperative groups' part: 288 bytes at least
  case ptx::SpecialReg::ReservedSmemOffsetEnd:
  case ptx::SpecialReg::ReservedSmemOffsetCap: return kReservedSharedBytes;
  default: return std::nullopt;
  }
}

observe::SiteId SiteList::add(Site site) {
  sites_.push_back(site);
  return observe::SiteId(sites_.size() - 1);
}

observe::Place SiteList::place(observe::SiteId id) const {
  observe::Place place;
  if (id == 0 || id >= sites_.size()) return place;
  const ptx::Module& m = *module_;
  bool innermost = true;
  while (id != 0) {
    const Site& s = sites_[id];
    const ptx::Function& f = m.functions[s.function];
    const ptx::Instruction& inst = f.instructions[s.instruction];
    if (innermost) {
      place.ptx_name = m.name;
      place.ptx_line = inst.ptx_line;
      place.instruction = inst.form->name;
      if (inst.ptx_line > 0 && inst.ptx_line <= m.lines.size()) {
        // The mnemonic as written, without guard and operands. Inline assembly may have more than one on a line.
        const std::string text = m.lines[inst.ptx_line - 1];
        const std::string_view name = inst.form->name;
        size_t start = text.find(name.substr(0, name.find('.')));
        while (start != std::string::npos && start != 0 &&
               std::string_view(" \t{;").find(text[start - 1]) == std::string_view::npos)
          start = text.find(name.substr(0, name.find('.')), start + 1);
        if (start != std::string::npos)
          place.instruction = text.substr(start, text.find_first_of(" \t;", start) - start);
      }
      innermost = false;
    }
    for (uint32_t loc = inst.location; loc != 0; loc = m.locations[loc].inlined_at) {
      const ptx::SourceLocation& l = m.locations[loc];
      auto file = m.files.find(l.file);
      std::string name = l.function.empty() ? f.name : l.function;
      place.stack.push_back({file == m.files.end() ? "" : file->second, l.line, l.column, demangle(name)});
    }
    id = s.called_from;
  }
  return place;
}

Result<LoweredKernel> lower_kernel(std::shared_ptr<const ptx::Module> ptx, std::string_view kernel,
                                   const LowerOptions& options) {
  const ptx::Function* entry = ptx->find_function(kernel);
  if (!entry || !entry->is_entry)
    return Error{.message = "there is no kernel '" + std::string(kernel) + "' in this module",
                 .remedy = "",
                 .file = ptx->name,
                 .position = {},
                 .excerpt = ""};
  auto index = uint32_t(entry - ptx->functions.data());
  CallGraph graph(*ptx);

  LoweredKernel out;
  out.context = std::make_unique<LLVMContext>();
  out.module = std::make_unique<Module>(std::string(kernel), *out.context);
  out.sites = std::make_shared<SiteList>(ptx);

  KernelState state;
  state.ptx = ptx;
  state.options = options;
  state.module = out.module.get();
  state.sites = out.sites;
  state.recursive = graph.recursive();
  state.address_taken = graph.address_taken;
  const auto reachable = graph.reachable(index);
  state.maps_shared = std::ranges::any_of(reachable, [&](uint32_t f) {
    return std::ranges::any_of(ptx->functions[f].instructions,
                               [](const ptx::Instruction& inst) { return inst.form->opcode == ptx::Opcode::Mapa; });
  });
  lay_out_shared(state, reachable);

  state.outline(index);
  auto* type = FunctionType::get(Type::getVoidTy(*out.context), false);
  for (size_t i = 0; i < state.functions.size() && !state.error; ++i) { // grows while we lower
    auto* fn = Function::Create(type, GlobalValue::ExternalLinkage, state.functions[i].name, *out.module);
    BodyLowering body(state, fn);
    if (i == 0)
      body.lower_entry(index);
    else
      body.lower_outlined(state.functions[i].ptx_function);
  }
  if (state.error) return *state.error;

  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(*out.module, &os))
    return Error{.message = "internal error: lowering '" + std::string(kernel) + "' made invalid code: " + problem,
                 .remedy = "",
                 .file = ptx->name,
                 .position = {},
                 .excerpt = ""};

  out.functions = std::move(state.functions);
  out.shared = std::move(state.shared_names);
  out.static_shared_bytes = state.static_shared_bytes;
  out.device_shared_bytes = state.device_shared_bytes;
  out.reserved_shared_bytes = state.reserved_shared_bytes;
  for (const ptx::Variable& p : entry->params)
    out.param_bytes = alignTo(out.param_bytes, Align(std::max(1u, p.align))) + p.size;
  out.approximate.assign(state.approximate.begin(), state.approximate.end());
  return out;
}

} // namespace tollgate::lower
