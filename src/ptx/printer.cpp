#include "ptx/printer.h"

#include "ptx/form_pattern.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

namespace tollgate::ptx {
namespace {

std::string hex(uint64_t bits, int digits) {
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, "%0*llX", digits, static_cast<unsigned long long>(bits));
  return buffer;
}

std::string signed_offset(int64_t offset) { return offset == 0 ? std::string() : "+" + std::to_string(offset); }

std::string position(const SourceLocation& at) {
  return std::to_string(at.file) + " " + std::to_string(at.line) + " " + std::to_string(at.column);
}

// The names of one function's registers, variables and labels, made unique.
class FunctionNames {
public:
  FunctionNames(const Module& module, const Function& function) {
    for (const Variable& variable : module.variables) used_.insert(variable.name);
    for (const Function& other : module.functions) used_.insert(other.name);
    for (const Variable& param : function.params) used_.insert(param.name);
    for (const Variable& param : function.return_params) used_.insert(param.name);
    in_signature.resize(function.registers.size());
    for (const auto* list : {&function.params, &function.return_params})
      for (const Variable& param : *list)
        if (param.reg >= 0) in_signature[static_cast<size_t>(param.reg)] = true;
    for (size_t i = 0; i < function.registers.size(); ++i) {
      const std::string& name = function.registers[i].name;
      registers.push_back(in_signature[i] ? name : unique(name));
    }
    for (const Variable& variable : function.variables) variables.push_back(unique(variable.name));
    for (const Label& label : function.labels) labels.push_back(unique(label.name));
  }

  std::vector<std::string> registers, variables, labels;
  std::vector<bool> in_signature; // by register: a parameter

private:
  std::string unique(const std::string& name) {
    if (used_.insert(name).second) return name;
    uint32_t& suffix = next_[name];
    std::string candidate;
    do {
      candidate = name + "$" + std::to_string(++suffix);
    } while (!used_.insert(candidate).second);
    return candidate;
  }

  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, uint32_t> next_;
};

class Printer {
public:
  explicit Printer(const Module& module) : module_(module) {}

  std::string module();
  std::string instruction(const Function& function, const FunctionNames& names, const Instruction& instruction,
                          uint32_t index);

private:
  void declaration(const Variable& variable, const std::string& name);
  void initialiser(const Variable& variable);
  void element(const Variable& variable, uint64_t offset, unsigned bytes, const Relocation* relocation);
  void params(const std::vector<Variable>& list, bool nameless);
  void signature(const Function& function);
  void function(const Function& function);
  void prototypes(const Function& function);
  void branch_targets(const Function& function, const FunctionNames& names);
  void line_info(uint32_t location);
  void loc_directive(uint32_t location);
  void inlined_names();
  std::string symbol(const Symbol& symbol) const;
  std::string operand(const Operand& operand, const std::string& list_name) const;
  std::string list(const std::vector<Operand>& operands) const;
  std::string immediate(const Operand& operand) const;

  const Module& module_;
  const Function* function_ = nullptr;
  const FunctionNames* names_ = nullptr;
  std::unordered_map<std::string, uint32_t> latest_;
  std::string out_;
};

std::string Printer::symbol(const Symbol& symbol) const {
  switch (symbol.kind) {
  case SymbolKind::ModuleVar: return module_.variables[symbol.index].name;
  case SymbolKind::Function: return module_.functions[symbol.index].name;
  case SymbolKind::Param: return function_->params[symbol.index].name;
  case SymbolKind::RetParam: return function_->return_params[symbol.index].name;
  case SymbolKind::LocalVar: return names_->variables[symbol.index];
  }
  return {};
}

std::string Printer::immediate(const Operand& operand) const {
  if (operand.float_literal == Operand::FloatLiteral::F32) return "0f" + hex(operand.bits, 8);
  if (operand.float_literal == Operand::FloatLiteral::F64) return "0d" + hex(operand.bits, 16);
  if (operand.float_literal == Operand::FloatLiteral::Decimal) {
    double value = 0;
    static_assert(sizeof value == sizeof operand.bits);
    std::copy_n(reinterpret_cast<const char*>(&operand.bits), sizeof value, reinterpret_cast<char*>(&value));
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17e", value);
    return buffer;
  }
  return std::to_string(static_cast<int64_t>(operand.bits));
}

std::string Printer::list(const std::vector<Operand>& operands) const {
  std::string out;
  for (const Operand& each : operands) out += (out.empty() ? "" : ", ") + operand(each, {});
  return out;
}

std::string Printer::operand(const Operand& operand, const std::string& list_name) const {
  using Kind = Operand::Kind;
  std::string out;
  switch (operand.kind) {
  case Kind::None: break;
  case Kind::Register: out = (operand.negated ? "!" : "") + names_->registers[operand.reg]; break;
  case Kind::Immediate: out = immediate(operand); break;
  case Kind::Special: out = to_string(operand.special); break;
  case Kind::SymbolAddress: out = symbol(*operand.symbol) + signed_offset(operand.offset); break;
  case Kind::Address: {
    out = operand.reg >= 0 ? names_->registers[operand.reg] : operand.symbol ? symbol(*operand.symbol) : "";
    out += out.empty() ? std::to_string(operand.offset) : signed_offset(operand.offset);
    for (const Operand& extra : operand.list) out += ", " + this->operand(extra, {});
    out = "[" + out + "]";
    break;
  }
  case Kind::Label: out = names_->labels[operand.label]; break;
  case Kind::LabelList:
  case Kind::Prototype: out = list_name; break;
  case Kind::Vector: out = "{" + list(operand.list) + "}"; break;
  case Kind::Sink: out = "_"; break;
  case Kind::ParamList: out = "(" + list(operand.list) + ")"; break;
  }
  if (operand.pair == -2) out += "|_";
  if (operand.pair >= 0) out += "|" + names_->registers[operand.pair];
  return out;
}

std::string Printer::instruction(const Function& function, const FunctionNames& names, const Instruction& instruction,
                                 uint32_t index) {
  function_ = &function;
  names_ = &names;
  std::string out;
  if (instruction.guard)
    out += std::string("@") + (instruction.guard->negated ? "!" : "") + names.registers[instruction.guard->reg] + " ";
  out += print_opcode(instruction);
  bool first = true;
  for (const Operand& each : instruction.operands) {
    if (each.kind == Operand::Kind::None) continue;
    const bool empty_return = each.kind == Operand::Kind::ParamList && each.list.empty() && first;
    if (empty_return) continue;
    const std::string list_name = each.kind == Operand::Kind::LabelList ? "$targets" + std::to_string(index)
                                                                        : "$prototype" + std::to_string(each.label);
    out += (first ? " " : ", ") + operand(each, list_name);
    first = false;
  }
  return out + ";";
}

void Printer::element(const Variable& variable, uint64_t offset, unsigned bytes, const Relocation* relocation) {
  if (relocation == nullptr) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < bytes && offset + i < variable.init.size(); ++i)
      bits |= uint64_t{variable.init[offset + i]} << (8 * i);
    out_ += variable.type == Type::F32   ? "0f" + hex(bits, 8)
            : variable.type == Type::F64 ? "0d" + hex(bits, 16)
                                         : std::to_string(bits);
    return;
  }
  std::string address = symbol(relocation->symbol) + signed_offset(relocation->addend);
  if (relocation->generic) address = "generic(" + address + ")";
  if (bytes == 1) address = "0x" + hex(uint64_t{0xFF} << (8 * relocation->byte), 2) + "(" + address + ")";
  out_ += address;
}

void Printer::initialiser(const Variable& variable) {
  if (variable.init.empty() && variable.relocations.empty()) return;
  const unsigned bytes = std::min(8U, std::max(1U, bit_width(variable.type) / 8));
  std::unordered_map<uint64_t, const Relocation*> relocations;
  for (const Relocation& relocation : variable.relocations) relocations[relocation.offset] = &relocation;
  out_ += " = {";
  for (uint64_t offset = 0; offset < variable.init.size(); offset += bytes) {
    if (offset != 0) out_ += ", ";
    const auto it = relocations.find(offset);
    element(variable, offset, bytes, it == relocations.end() ? nullptr : it->second);
  }
  out_ += "}";
}

void Printer::declaration(const Variable& variable, const std::string& name) {
  const unsigned scalar = std::max(1U, bit_width(variable.type) / 8) * variable.vec;
  out_ += "." + std::string(to_string(variable.space));
  if (variable.is_managed) out_ += " .attribute(.managed)";
  const bool natural = variable.space == Space::Param || variable.space == Space::Reg;
  if (!natural || variable.size != scalar) out_ += " .align " + std::to_string(variable.align);
  if (variable.vec > 1) out_ += " .v" + std::to_string(variable.vec);
  out_ += " ." + std::string(to_string(variable.type));
  if (variable.is_pointer) out_ += " .ptr";
  out_ += " " + name;
  if (variable.size == 0)
    out_ += "[]";
  else if (variable.size != scalar || !variable.init.empty())
    out_ += "[" + std::to_string(variable.size / scalar) + "]";
}

void Printer::params(const std::vector<Variable>& list, bool nameless) {
  out_ += "(";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out_ += ", ";
    declaration(list[i], nameless ? "_" : list[i].name);
  }
  out_ += ")";
}

void Printer::signature(const Function& function) {
  if (function.is_extern) out_ += ".extern ";
  if (function.is_visible) out_ += ".visible ";
  if (function.is_weak) out_ += ".weak ";
  out_ += function.is_entry ? ".entry " : ".func ";
  if (!function.return_params.empty()) params(function.return_params, false), out_ += " ";
  out_ += function.name;
  params(function.params, false);
  const auto triple = [&](const char* name, const std::array<uint32_t, 3>& value) {
    if (value[0] == 0) return;
    out_ += std::string(" ") + name + " " + std::to_string(value[0]) + ", " + std::to_string(value[1]) + ", " +
            std::to_string(value[2]);
  };
  triple(".maxntid", function.maxntid);
  triple(".reqntid", function.reqntid);
  triple(".reqnctapercluster", function.reqnctapercluster);
  if (function.explicit_cluster) out_ += " .explicitcluster";
  if (function.maxclusterrank != 0) out_ += " .maxclusterrank " + std::to_string(function.maxclusterrank);
  if (function.minnctapersm != 0) out_ += " .minnctapersm " + std::to_string(function.minnctapersm);
  if (function.maxnreg != 0) out_ += " .maxnreg " + std::to_string(function.maxnreg);
  if (function.noreturn) out_ += " .noreturn";
}

void Printer::prototypes(const Function& function) {
  for (size_t i = 0; i < function.prototypes.size(); ++i) {
    out_ += "$prototype" + std::to_string(i) + ": .callprototype ";
    params(function.prototypes[i].return_params, true);
    out_ += " _ ";
    params(function.prototypes[i].params, true);
    out_ += function.prototypes[i].noreturn ? " .noreturn;\n" : ";\n";
  }
}

void Printer::branch_targets(const Function& function, const FunctionNames& names) {
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    for (const Operand& each : function.instructions[i].operands) {
      if (each.kind != Operand::Kind::LabelList) continue;
      out_ += "$targets" + std::to_string(i) + ": .branchtargets ";
      for (size_t j = 0; j < each.list.size(); ++j) out_ += (j == 0 ? "" : ", ") + names.labels[each.list[j].label];
      out_ += ";\n";
    }
  }
}

void Printer::function(const Function& function) {
  signature(function);
  if (function.is_declaration) {
    out_ += ";\n";
    return;
  }
  const FunctionNames names(module_, function);
  function_ = &function;
  names_ = &names;
  out_ += "\n{\n";
  for (size_t i = 0; i < function.registers.size(); ++i) {
    if (names.in_signature[i]) continue;
    out_ += ".reg ." + std::string(to_string(function.registers[i].type)) + " " + names.registers[i] + ";\n";
  }
  for (size_t i = 0; i < function.variables.size(); ++i) {
    declaration(function.variables[i], names.variables[i]);
    out_ += ";\n";
  }
  prototypes(function);
  branch_targets(function, names);
  std::vector<std::vector<uint32_t>> labels_at(function.instructions.size() + 1);
  for (uint32_t i = 0; i < function.labels.size(); ++i) labels_at[function.labels[i].instruction].push_back(i);
  uint32_t location = 0;
  for (uint32_t i = 0; i <= function.instructions.size(); ++i) {
    for (const uint32_t label : labels_at[i]) out_ += names.labels[label] + ":\n";
    if (i == function.instructions.size()) break;
    const Instruction& each = function.instructions[i];
    if (each.location != location && each.location != 0) line_info(each.location);
    location = each.location;
    out_ += instruction(function, names, each, i) + "\n";
  }
  out_ += "}\n";
}

void Printer::loc_directive(uint32_t location) {
  const SourceLocation& at = module_.locations[location];
  out_ += ".loc " + position(at);
  if (!at.function.empty()) out_ += ", function_name $name" + std::to_string(location);
  if (at.inlined_at != 0) out_ += ", inlined_at " + position(module_.locations[at.inlined_at]);
  out_ += "\n";
  latest_[position(at)] = location;
}

// inlined_at names the last .loc of that position, so the calls around an inlined line are repeated where another
// .loc has taken their place since.
void Printer::line_info(uint32_t location) {
  std::vector<uint32_t> chain{location};
  for (uint32_t call = module_.locations[location].inlined_at; call != 0; call = module_.locations[call].inlined_at) {
    if (latest_[position(module_.locations[call])] == call) break;
    chain.push_back(call);
  }
  for (; !chain.empty(); chain.pop_back()) loc_directive(chain.back());
}

// The names of inlined functions, as nvcc writes them.
void Printer::inlined_names() {
  std::string strings;
  for (size_t i = 0; i < module_.locations.size(); ++i) {
    const std::string& name = module_.locations[i].function;
    if (name.empty()) continue;
    strings += "$name" + std::to_string(i) + ":\n.b8 ";
    for (const char c : name) strings += std::to_string(static_cast<unsigned char>(c)) + ",";
    strings += "0\n";
  }
  if (!strings.empty()) out_ += ".section .debug_str\n{\n" + strings + "}\n";
}

std::string Printer::module() {
  out_ = ".version " + std::to_string(module_.version_major) + "." + std::to_string(module_.version_minor) + "\n";
  if (!module_.target.empty()) out_ += ".target " + module_.target + "\n";
  out_ += ".address_size 64\n";
  std::vector<uint32_t> numbers;
  for (const auto& [number, path] : module_.files) numbers.push_back(number);
  std::ranges::sort(numbers);
  for (const uint32_t number : numbers)
    out_ += ".file " + std::to_string(number) + " \"" + module_.files.at(number) + "\"\n";
  for (uint32_t i = 1; i < module_.locations.size(); ++i) line_info(i); // keeps the order of the entries
  // Declarations first, so that initialisers and calls may refer to anything.
  for (const Function& each : module_.functions) signature(each), out_ += ";\n";
  for (const Variable& variable : module_.variables) {
    if (variable.is_extern) out_ += ".extern ";
    if (variable.is_visible) out_ += ".visible ";
    if (variable.is_weak) out_ += ".weak ";
    if (variable.is_common) out_ += ".common ";
    declaration(variable, variable.name);
    initialiser(variable);
    out_ += ";\n";
  }
  for (const Function& each : module_.functions) {
    if (!each.is_declaration) function(each);
  }
  inlined_names();
  return out_;
}

} // namespace

std::string print_opcode(const Instruction& instruction) {
  return spell(pattern_of(*instruction.form), instruction.mods);
}

std::string print(const Module& module) { return Printer(module).module(); }

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  const FunctionNames names(module, function);
  return Printer(module).instruction(function, names, instruction, 0);
}

} // namespace tollgate::ptx
