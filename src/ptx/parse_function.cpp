// Functions: signature, performance directives, body, scopes and names.
#include "ptx/parser_state.h"

#include <algorithm>
#include <charconv>

namespace tollgate::ptx {
namespace {

constexpr uint32_t max_scope_depth = 500;
constexpr uint64_t max_u32 = 0xFFFFFFFF;

// "%r12" -> ("%r", 12); nothing for names that a range cannot have declared: no digits, or a leading zero.
bool split_number(std::string_view name, std::string_view& prefix, uint32_t& number) {
  size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  // Digits of the prefix itself belong to it: .reg .b32 %r1<3> declares %r10 .. %r12. Try the longest number first.
  if (begin == name.size() || (name[begin] == '0' && begin + 1 != name.size())) return false;
  prefix = name.substr(0, begin);
  const auto [end, ec] = std::from_chars(name.data() + begin, name.data() + name.size(), number);
  return ec == std::errc{};
}

} // namespace

bool ParserState::push_scope(const Token& at) {
  if (++scope_depth_ > max_scope_depth) return fail(at, "scopes nest too deeply");
  scopes_.push_back({scope_, {}, {}});
  scope_ = static_cast<int32_t>(scopes_.size()) - 1;
  return true;
}

bool ParserState::declare(const Token& name, Entity entity) {
  const auto [it, inserted] = scopes_[scope_].names.try_emplace(name.text, entity);
  if (inserted) return true;
  return fail(name, quoted(name.text) + " is declared twice in one scope", "rename one of them");
}

int32_t ParserState::materialise(NameScope& scope, std::string_view name) {
  std::string_view prefix;
  uint32_t number = 0;
  if (!split_number(name, prefix, number)) return -1;
  for (auto it = scope.ranges.find(prefix);; it = scope.ranges.find(prefix)) {
    if (it != scope.ranges.end() && number < it->second.count) {
      function_->registers.push_back({std::string(name), it->second.type});
      const auto index = static_cast<uint32_t>(function_->registers.size() - 1);
      scope.names.emplace(name, Entity{Entity::Kind::Register, index});
      return static_cast<int32_t>(index);
    }
    // A prefix may itself end in digits: move one digit over and try again.
    const std::string_view digits = name.substr(prefix.size());
    if (digits.size() < 2) return -1;
    prefix = name.substr(0, prefix.size() + 1);
    if (digits[1] == '0' && digits.size() > 2) continue;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  }
}

std::optional<Entity> ParserState::look_up(std::string_view name, int32_t scope) {
  for (; scope >= 0; scope = scopes_[scope].parent) {
    NameScope& here = scopes_[scope];
    if (const auto it = here.names.find(name); it != here.names.end()) return it->second;
    if (here.ranges.empty()) continue;
    if (const int32_t reg = materialise(here, name); reg >= 0) {
      return Entity{Entity::Kind::Register, static_cast<uint32_t>(reg)};
    }
  }
  return std::nullopt;
}

bool ParserState::parse_param_list(std::vector<Variable>& params, bool nameless) {
  if (accept(')')) return true;
  do {
    const Token at = token_;
    Declaration declaration;
    declaration.space = token_.is_dot(".reg") ? Space::Reg : Space::Param;
    if (!accept_dot(".reg") && !accept_dot(".param")) return fail_unexpected(".param");
    Variable param;
    Token name;
    if (!parse_declaration_head(declaration) || !parse_declarator(declaration, param, name, nameless)) return false;
    if (param.space == Space::Reg && param.vec != 1)
      return fail(at, "vector registers are not supported", "pass the elements in registers of their own");
    params.push_back(std::move(param));
  } while (accept(','));
  return expect(')', "to close the parameter list");
}

bool ParserState::parse_triple(std::array<uint32_t, 3>& out) {
  out = {1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    uint64_t value = 0;
    if (!parse_unsigned(value, max_u32, "a block dimension")) return false;
    out[i] = static_cast<uint32_t>(value);
    if (i == 2 || !accept(',')) break;
  }
  return true;
}

// What stands between the parameter list and the body (PTX ISA 11.4).
bool ParserState::parse_function_directives(Function& function) {
  while (token_.kind == TokenKind::Dot) {
    const Token directive = token_;
    advance();
    uint64_t value = 0;
    std::array<uint32_t, 3> unused{};
    if (directive.text == ".noreturn")
      function.noreturn = true;
    else if (directive.text == ".maxntid" ? !parse_triple(function.maxntid) : false)
      return false;
    else if (directive.text == ".reqntid" ? !parse_triple(function.reqntid) : false)
      return false;
    else if (directive.text == ".reqnctapercluster" ? !parse_triple(function.reqnctapercluster) : false)
      return false;
    else if (directive.text == ".maxnctapersm" || directive.text == ".minnctapersm" || directive.text == ".maxnreg" ||
             directive.text == ".maxclusterrank") {
      if (!parse_unsigned(value, max_u32, "the argument of " + std::string(directive.text))) return false;
      if (directive.text == ".minnctapersm") function.minnctapersm = static_cast<uint32_t>(value);
      if (directive.text == ".maxclusterrank") function.maxclusterrank = static_cast<uint32_t>(value);
      if (directive.text == ".maxnreg") function.maxnreg = static_cast<uint32_t>(value);
    } else if (directive.text == ".pragma") {
      if (!skip_to_semicolon()) return false;
    } else if (directive.text == ".abi_preserve" || directive.text == ".abi_preserve_control") {
      if (!parse_triple(unused)) return false;
    } else if (directive.text == ".attribute") {
      Declaration ignored;
      if (!parse_attribute(ignored)) return false;
    } else if (directive.text == ".explicitcluster") {
      function.explicit_cluster = true;
    } else if (directive.text == ".unique" || directive.text == ".blocksareclusters" || directive.text == ".maxntid" ||
               directive.text == ".reqntid" || directive.text == ".reqnctapercluster") {
      continue;
    } else {
      return fail(directive, "unknown function directive '" + std::string(directive.text) + "'");
    }
  }
  return true;
}

bool ParserState::parse_function(const Linkage& linkage, bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function.is_extern = linkage.is_extern;
  function.is_visible = linkage.is_visible;
  function.is_weak = linkage.is_weak;
  if (token_.is_dot(".attribute")) {
    advance();
    Declaration ignored;
    if (!parse_attribute(ignored)) return false;
  }
  if (accept('(') && !parse_param_list(function.return_params, false)) return false;
  Token name;
  if (!expect_name("the function's name", name)) return false;
  function.name = name.text;
  function.ptx_line = name.line;
  const Token list = token_;
  if (accept('(') && !parse_param_list(function.params, false)) return false;
  const bool in_registers =
      std::ranges::any_of(function.params, [](const Variable& param) { return param.space == Space::Reg; });
  if (is_entry && in_registers)
    return fail(list, "a kernel has no parameters in registers", "declare them with .param (PTX ISA, .entry)");
  if (!parse_function_directives(function)) return false;
  function.is_declaration = !token_.is('{');

  const auto [it, inserted] = module_names_.try_emplace(
      name.text, Symbol{SymbolKind::Function, static_cast<uint32_t>(module_->functions.size())});
  if (it->second.kind != SymbolKind::Function) return fail(name, quoted(name.text) + " is already a variable");
  if (inserted) module_->functions.emplace_back();
  const uint32_t index = it->second.index;
  if (function.is_declaration) {
    if (inserted) module_->functions[index] = std::move(function);
    return expect(';', "after the function declaration");
  }
  if (!inserted && !module_->functions[index].is_declaration) {
    return fail(name, "function '" + std::string(name.text) + "' is defined twice",
                "line " + std::to_string(module_->functions[index].ptx_line) + " has the other definition");
  }
  function.is_visible |= module_->functions[index].is_visible;
  module_->functions[index].name = function.name; // so that the body can call itself
  if (!parse_body(function)) return false;
  module_->functions[index] = std::move(function);
  return true;
}

bool ParserState::parse_body(Function& function) {
  function_ = &function;
  scopes_.clear();
  fixups_.clear();
  branch_targets_.clear();
  scope_ = -1;
  scope_depth_ = location_ = 0;
  const Token open = token_;
  advance();
  if (!push_scope(open)) return false;
  // Parameter names live in the outermost scope; they point into the text, which outlives the parse.
  const auto declare_params = [&](std::vector<Variable>& params, Entity::Kind kind) {
    for (uint32_t i = 0; i < params.size(); ++i) {
      Entity entity{kind, i};
      if (params[i].space == Space::Reg) {
        params[i].reg = static_cast<int32_t>(function.registers.size());
        entity = {Entity::Kind::Register, static_cast<uint32_t>(params[i].reg)};
        function.registers.push_back({params[i].name, params[i].type});
      }
      scopes_[0].names.try_emplace(params[i].name, entity);
    }
  };
  declare_params(function.params, Entity::Kind::Param);
  declare_params(function.return_params, Entity::Kind::RetParam);
  for (bool closed = false; !closed;) {
    if (!parse_statement(closed)) return false;
  }
  if (!resolve_fixups()) return false;
  function_ = nullptr;
  return true;
}

bool ParserState::parse_statement(bool& closed) {
  if (token_.is('{')) {
    const Token open = token_;
    advance();
    return push_scope(open);
  }
  if (accept('}')) {
    --scope_depth_;
    scope_ = scopes_[scope_].parent;
    closed = scope_ < 0;
    return true;
  }
  if (accept(';')) return true;
  if (token_.kind == TokenKind::Dot) return parse_body_directive();
  std::optional<Guard> guard;
  if (!parse_guard(guard)) return false;
  if (token_.kind != TokenKind::Name) return fail_unexpected("an instruction");
  const Token name = token_;
  advance();
  if (!guard && accept(':')) return parse_label(name);
  if (!parse_instruction(name)) return false;
  function_->instructions.back().guard = guard;
  return true;
}

bool ParserState::parse_body_directive() {
  if (token_.text == ".reg") return parse_registers();
  if (token_.text == ".loc") return parse_loc();
  if (token_.text == ".file") return parse_file();
  if (token_.text == ".pragma") return skip_to_semicolon();
  if (token_.text == ".section") return parse_section();
  if (token_.text == ".local" || token_.text == ".shared" || token_.text == ".param") return parse_local_variables();
  if (token_.text == ".global" || token_.text == ".const") return parse_module_variables({});
  if (token_.text == ".extern" || token_.text == ".visible" || token_.text == ".weak" || token_.text == ".common") {
    Linkage linkage;
    return parse_linkage(linkage) && parse_module_variables(linkage);
  }
  return fail(token_, "unknown directive '" + std::string(token_.text) + "' in a function body");
}

bool ParserState::parse_registers() {
  advance();
  Declaration declaration;
  declaration.space = Space::Reg;
  if (!parse_declaration_head(declaration)) return false;
  if (declaration.vec != 1) {
    return fail(token_, "vector registers are not supported", "declare the elements as registers of their own");
  }
  do {
    Token name;
    if (!expect_name("a register name", name)) return false;
    if (accept('<')) {
      uint64_t count = 0;
      if (token_.kind != TokenKind::Number) return fail_unexpected("the number of registers");
      ConstantValue value;
      if (!parse_number(token_, value)) return false;
      count = value.bits;
      if (value.floating != Operand::FloatLiteral::No || count > max_u32)
        return fail(token_, "the number of registers is out of range");
      advance();
      if (!expect('>', "after the number of registers")) return false;
      const auto inserted =
          scopes_[scope_]
              .ranges.try_emplace(name.text, RegisterRange{static_cast<uint32_t>(count), declaration.type})
              .second;
      if (!inserted) return fail(name, "registers '" + std::string(name.text) + "<n>' are declared twice in one scope");
    } else {
      if (!declare(name, {Entity::Kind::Register, static_cast<uint32_t>(function_->registers.size())})) return false;
      function_->registers.push_back({std::string(name.text), declaration.type});
    }
  } while (accept(','));
  return expect(';', "after the register declaration");
}

bool ParserState::parse_label(const Token& name) {
  if (token_.is_dot(".branchtargets")) return parse_branch_targets(name);
  if (token_.is_dot(".calltargets")) return parse_call_targets(name);
  if (token_.is_dot(".callprototype")) return parse_call_prototype(name);
  if (!declare(name, {Entity::Kind::Label, static_cast<uint32_t>(function_->labels.size())})) return false;
  function_->labels.push_back({std::string(name.text), static_cast<uint32_t>(function_->instructions.size())});
  return true;
}

bool ParserState::parse_branch_targets(const Token& name) {
  advance();
  BranchTargetList targets{scope_, {}};
  do {
    if (!expect_name("a label", targets.labels.emplace_back())) return false;
  } while (accept(','));
  if (!declare(name, {Entity::Kind::BranchTargets, static_cast<uint32_t>(branch_targets_.size())})) return false;
  branch_targets_.push_back(std::move(targets));
  return expect(';', "after the branch targets");
}

// A list of possible callees says what they look like: the signature of the first is the prototype.
bool ParserState::parse_call_targets(const Token& name) {
  advance();
  if (!declare(name, {Entity::Kind::Prototype, static_cast<uint32_t>(function_->prototypes.size())})) return false;
  bool first = true;
  do {
    Token target;
    if (!expect_name("a function", target)) return false;
    const auto it = module_names_.find(target.text);
    if (it == module_names_.end() || it->second.kind != SymbolKind::Function) {
      return fail(target, quoted(target.text) + " is not a function", "declare it with .func before this line");
    }
    if (!std::exchange(first, false)) continue;
    const Function& function = module_->functions[it->second.index];
    function_->prototypes.push_back({function.return_params, function.params, function.noreturn});
  } while (accept(','));
  return expect(';', "after the call targets");
}

bool ParserState::parse_call_prototype(const Token& name) {
  advance();
  Prototype prototype;
  if (accept('(') && !parse_param_list(prototype.return_params, true)) return false;
  Token placeholder;
  if (!expect_name("'_' in the prototype", placeholder)) return false;
  if (accept('(') && !parse_param_list(prototype.params, true)) return false;
  while (token_.kind == TokenKind::Dot) {
    if (token_.text == ".noreturn")
      prototype.noreturn = true;
    else if (token_.text != ".abi_preserve" && token_.text != ".abi_preserve_control") {
      return fail(token_, "unknown directive '" + std::string(token_.text) + "' in a prototype");
    }
    const bool has_argument = token_.text != ".noreturn";
    advance();
    uint64_t ignored = 0;
    if (has_argument && !parse_unsigned(ignored, max_u32, "the number of registers")) return false;
  }
  if (!declare(name, {Entity::Kind::Prototype, static_cast<uint32_t>(function_->prototypes.size())})) return false;
  function_->prototypes.push_back(std::move(prototype));
  return expect(';', "after the prototype");
}

bool ParserState::resolve_label(const Token& name, int32_t scope, Operand& out) {
  const auto entity = look_up(name.text, scope);
  if (!entity || entity->kind != Entity::Kind::Label) {
    return fail(name, "unknown label '" + std::string(name.text) + "'",
                "define the label in this function, or check the spelling");
  }
  out.kind = Operand::Kind::Label;
  out.label = entity->index;
  return true;
}

bool ParserState::resolve_fixup(const NameFixup& fixup) {
  Operand& operand = function_->instructions[fixup.instruction].operands[fixup.operand];
  if (fixup.shape == OperandShape::Label) return resolve_label(fixup.token, fixup.scope, operand);
  const auto entity = look_up(fixup.token.text, fixup.scope);
  const std::string name(fixup.token.text);
  if (fixup.shape == OperandShape::Value) {
    if (!entity || entity->kind != Entity::Kind::Prototype) {
      return fail(fixup.token, quoted(name) + " is not a .callprototype or .calltargets label");
    }
    operand.kind = Operand::Kind::Prototype;
    operand.label = entity->index;
    return true;
  }
  if (!entity || entity->kind != Entity::Kind::BranchTargets)
    return fail(fixup.token, quoted(name) + " is not a .branchtargets label");
  operand.kind = Operand::Kind::LabelList;
  const BranchTargetList& targets = branch_targets_[entity->index];
  for (const Token& label : targets.labels) {
    if (!resolve_label(label, targets.scope, operand.list.emplace_back())) return false;
  }
  return true;
}

bool ParserState::resolve_fixups() {
  return std::ranges::all_of(fixups_, [&](const NameFixup& fixup) { return resolve_fixup(fixup); });
}

} // namespace tollgate::ptx
