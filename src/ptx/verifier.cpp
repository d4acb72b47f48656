#include "ptx/verifier.h"

#include "ptx/form_pattern.h"

#include <algorithm>
#include <string>

namespace tollgate::ptx {
namespace {

using Kind = Operand::Kind;

class Verifier {
public:
  Verifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  Result<void> run() {
    for (const Instruction& instruction : function_.instructions) {
      if (pattern_of(*instruction.form).open) continue;
      instruction_ = &instruction;
      check();
      if (error_) return std::move(*error_);
    }
    return {};
  }

private:
  void fail(std::string message, std::string remedy = {}) {
    if (error_) return;
    const uint32_t line = instruction_->ptx_line;
    error_ = Error{std::move(message), std::move(remedy), module_.name, {line, instruction_->ptx_column}, {}};
    if (line >= 1 && line <= module_.lines.size()) error_->excerpt = module_.lines[line - 1].substr(0, 400);
  }

  void check() {
    if (instruction_->form->opcode == Opcode::Call) return check_call();
    for (size_t i = 0; i < instruction_->operands.size(); ++i) check_operand(i);
    check_vector();
  }

  [[nodiscard]] Type type() const { return instruction_->mods.types[0]; }

  // Which operands are predicates follows from the form; everything else is data.
  [[nodiscard]] bool wants_predicate(size_t i) const {
    const FormPattern& pattern = pattern_of(*instruction_->form);
    const Opcode opcode = instruction_->form->opcode;
    for (const auto& shapes : pattern.operands) {
      if (shapes.size() == instruction_->operands.size() && shapes[i] == OperandShape::Predicate) return true;
    }
    if (i == 0 && writes_first_operand(*instruction_->form)) return pattern.predicate_result || type() == Type::Pred;
    if (type() == Type::Pred && opcode != Opcode::Vote && opcode != Opcode::Bar && opcode != Opcode::Barrier)
      return true;
    return (opcode == Opcode::Selp && i == 3) || (opcode == Opcode::Lop3 && i == 5);
  }

  [[nodiscard]] bool may_be_either(size_t i) const {
    return instruction_->form->opcode == Opcode::CpAsync && i == 3; // src-size or ignore-src
  }

  void check_operand(size_t i) {
    const Operand& operand = instruction_->operands[i];
    if (operand.pair >= 0) check_predicate(operand.pair, true);
    if (operand.kind == Kind::Register && !may_be_either(i)) check_predicate(operand.reg, wants_predicate(i));
    if (operand.kind == Kind::Address && operand.reg >= 0 && bit_width(function_.registers[operand.reg].type) < 32) {
      fail("register " + function_.registers[operand.reg].name + " is too narrow to hold an address",
           "use a .b64 register");
    }
    for (const Operand& element : operand.list) {
      if (element.kind == Kind::Register && operand.kind == Kind::Vector) check_predicate(element.reg, false);
    }
  }

  void check_predicate(int32_t reg, bool wanted) {
    const Register& found = function_.registers[reg];
    if ((found.type == Type::Pred) == wanted) return;
    fail(wanted ? "register " + found.name + " is not a predicate"
                : "predicate " + found.name + " stands where a value is needed",
         wanted ? "declare it with .reg .pred" : "turn the predicate into a value with selp");
  }

  // Loads, stores and vector atomics move .vec elements; mov packs elements into one register or unpacks them.
  void check_vector() {
    const Opcode opcode = instruction_->form->opcode;
    const bool memory = opcode == Opcode::Ld || opcode == Opcode::St || opcode == Opcode::Ldu ||
                        opcode == Opcode::Atom || opcode == Opcode::Red;
    for (const Operand& operand : instruction_->operands) {
      if (operand.kind == Kind::Vector && memory && operand.list.size() != instruction_->mods.vec) {
        fail("the operand has " + std::to_string(operand.list.size()) + " elements, the instruction moves " +
             std::to_string(instruction_->mods.vec));
      }
      if (operand.kind == Kind::Vector && opcode == Opcode::Mov) check_pack(operand);
    }
    if (!memory && opcode != Opcode::Mov) return;
    for (const Operand& operand : instruction_->operands) {
      if (memory && &operand == &instruction_->operands.back() && has_cache_policy()) break; // always .b64
      check_width(operand);
      if (operand.kind != Kind::Vector || !memory) continue;
      for (const Operand& element : operand.list) check_width(element);
    }
  }

  [[nodiscard]] bool has_cache_policy() const {
    const auto& hints = instruction_->mods.ignored;
    return std::find(hints.begin(), hints.end(), "L2::cache_hint") != hints.end();
  }

  void check_width(const Operand& operand) {
    if (operand.kind != Kind::Register) return;
    const Register& reg = function_.registers[operand.reg];
    if (bit_width(reg.type) >= bit_width(type())) return;
    fail("register " + reg.name + " (." + std::string(to_string(reg.type)) + ") is narrower than ." +
             std::string(to_string(type())),
         "use a register of at least " + std::to_string(bit_width(type())) + " bits");
  }

  void check_pack(const Operand& operand) {
    unsigned total = 0;
    for (const Operand& element : operand.list) {
      if (element.kind != Kind::Register) return; // a sink or a constant takes whatever is left
      total += bit_width(function_.registers[element.reg].type);
    }
    if (total == bit_width(type())) return;
    fail("the elements have " + std::to_string(total) + " bits together, ." + std::string(to_string(type())) + " has " +
         std::to_string(bit_width(type())));
  }

  void check_call() {
    const Operand& callee = instruction_->operands[1];
    if (callee.kind == Kind::SymbolAddress) {
      const Function& target = module_.functions[callee.symbol->index];
      if (target.is_entry) return fail("'" + target.name + "' is a kernel and cannot be called", "launch it instead");
      check_counts(target.name, target.return_params.size(), target.params.size());
    } else if (instruction_->operands[3].kind == Kind::Prototype) {
      const Prototype& prototype = function_.prototypes[instruction_->operands[3].label];
      check_counts("the prototype", prototype.return_params.size(), prototype.params.size());
    }
  }

  void check_counts(const std::string& name, size_t returns, size_t params) {
    const size_t passed = instruction_->operands[2].list.size();
    const size_t taken = instruction_->operands[0].list.size();
    if (passed != params) {
      fail("the call passes " + std::to_string(passed) + " parameters, " + name + " has " + std::to_string(params));
    } else if (taken != returns && taken != 0) {
      fail("the call takes " + std::to_string(taken) + " results, " + name + " returns " + std::to_string(returns));
    }
  }

  const Module& module_;
  const Function& function_;
  const Instruction* instruction_ = nullptr;
  std::optional<Error> error_;
};

} // namespace

Result<void> verify(const Module& module) {
  for (const Function& function : module.functions) {
    if (Result<void> result = Verifier(module, function).run(); !result) return result;
  }
  return {};
}

} // namespace tollgate::ptx
