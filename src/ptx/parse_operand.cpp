// Operands of instructions (PTX ISA 6).
#include "ptx/names.h"
#include "ptx/parser_state.h"

namespace tollgate::ptx {
namespace {

void set_symbol(Operand& operand, Symbol symbol) {
  operand.kind = Operand::Kind::SymbolAddress;
  operand.symbol = symbol;
}

Symbol symbol_of(Entity entity) {
  const SymbolKind kind = entity.kind == Entity::Kind::Variable ? SymbolKind::LocalVar
                          : entity.kind == Entity::Kind::Param  ? SymbolKind::Param
                                                                : SymbolKind::RetParam;
  return {kind, entity.index};
}

bool is_variable(Entity entity) {
  return entity.kind == Entity::Kind::Variable || entity.kind == Entity::Kind::Param || entity.kind == Entity::Kind::RetParam;
}

} // namespace

// A name that stands for an address, in the function or the module.
std::optional<Symbol> ParserState::look_up_symbol(std::string_view name) {
  if (function_ != nullptr) {
    if (const auto entity = look_up(name, scope_); entity && is_variable(*entity)) return symbol_of(*entity);
  }
  const auto it = module_names_.find(name);
  return it == module_names_.end() ? std::nullopt : std::optional(it->second);
}

bool ParserState::parse_operand(Operand& operand) {
  if (token_.is('{')) return parse_vector(operand);
  if (token_.is('[')) return parse_address(operand);
  if (token_.is('!')) {
    advance();
    if (token_.kind != TokenKind::Name) return fail_unexpected("a predicate register after '!'");
    operand.negated = true;
    if (!parse_name_operand(operand)) return false;
    return operand.kind == Operand::Kind::Register || fail_unexpected("a predicate register after '!'");
  }
  if (token_.kind == TokenKind::Name && !token_.is_name("WARP_SZ")) return parse_name_operand(operand);
  ConstantValue value;
  if (!parse_constant(value)) return false;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = value.bits;
  operand.float_literal = value.floating;
  return true;
}

bool ParserState::parse_name_operand(Operand& operand) {
  const Token name = token_;
  advance();
  if (name.text == "_") {
    operand.kind = Operand::Kind::Sink;
    return parse_pair(operand);
  }
  if (const auto entity = look_up(name.text, scope_)) {
    if (entity->kind == Entity::Kind::Register) {
      operand.kind = Operand::Kind::Register;
      operand.reg = static_cast<int32_t>(entity->index);
      if (token_.kind == TokenKind::Dot) {
        return fail(token_, "selecting part of register " + std::string(name.text) + " is not supported",
                    "declare its elements as registers of their own");
      }
      return parse_pair(operand);
    }
    if (is_variable(*entity)) {
      set_symbol(operand, symbol_of(*entity));
      return parse_offset(operand.offset);
    }
  } else if (const auto it = module_names_.find(name.text); it != module_names_.end()) {
    set_symbol(operand, it->second);
    return parse_offset(operand.offset);
  }
  if (name.text[0] == '%') {
    std::string_view special = name.text;
    if (token_.kind == TokenKind::Dot) {
      special = text_.substr(name.offset, token_.offset + token_.text.size() - name.offset);
      advance();
    }
    if (const auto reg = special_named(special)) {
      operand.kind = Operand::Kind::Special;
      operand.special = *reg;
      return true;
    }
    return fail(name, "unknown register " + std::string(special), "declare it with .reg, or check the spelling");
  }
  operand.kind = Operand::Kind::Label;
  pending_.emplace_back(0, name); // select_form decides whether a label may stand here
  return true;
}

// The `|p` of a `d|p` destination.
bool ParserState::parse_pair(Operand& operand) {
  if (!accept('|')) return true;
  if (token_.kind != TokenKind::Name) return fail_unexpected("a register after '|'");
  const Token name = token_;
  advance();
  if (name.text == "_") {
    operand.pair = -2;
    return true;
  }
  const auto entity = look_up(name.text, scope_);
  if (!entity || entity->kind != Entity::Kind::Register) {
    return fail(name, "unknown register " + std::string(name.text), "declare it with .reg, or check the spelling");
  }
  operand.pair = static_cast<int32_t>(entity->index);
  return true;
}

bool ParserState::parse_vector(Operand& operand) {
  operand.kind = Operand::Kind::Vector;
  advance();
  do {
    if (token_.is('{') || token_.is('[')) return fail(token_, "a vector operand cannot contain a vector or an address");
    operand.list.emplace_back();
    const size_t unknown = pending_.size();
    if (!parse_operand(operand.list.back())) return false;
    if (pending_.size() != unknown) {
      return fail(pending_.back().second, "unknown name '" + std::string(pending_.back().second.text) + "'",
                  "declare it before its use, or check the spelling");
    }
  } while (accept(','));
  return expect('}', "to close the vector operand");
}

// [reg], [reg+imm], [var+imm], [imm]; texture forms add coordinates: [tex, {x, y}].
bool ParserState::parse_address(Operand& operand) {
  operand.kind = Operand::Kind::Address;
  advance();
  if (!parse_address_base(operand)) return false;
  while (accept(',')) {
    if (token_.is('[')) return fail(token_, "an address cannot contain an address");
    operand.list.emplace_back();
    const size_t unknown = pending_.size();
    if (!parse_operand(operand.list.back())) return false;
    if (pending_.size() != unknown) return fail(pending_.back().second, "unknown name in an address");
  }
  return expect(']', "to close the address");
}

bool ParserState::parse_address_base(Operand& operand) {
  if (token_.kind == TokenKind::Name && !token_.is_name("WARP_SZ")) {
    const Token name = token_;
    advance();
    if (const auto entity = look_up(name.text, scope_); entity && entity->kind == Entity::Kind::Register) {
      operand.reg = static_cast<int32_t>(entity->index);
    } else if (const auto symbol = look_up_symbol(name.text)) {
      operand.symbol = symbol;
    } else {
      return fail(name, "unknown name '" + std::string(name.text) + "' in an address",
                  "declare the register or variable before its use, or check the spelling");
    }
    return parse_offset(operand.offset);
  }
  ConstantValue value;
  if (!parse_constant(value)) return false;
  operand.offset = static_cast<int64_t>(value.bits);
  return true;
}

} // namespace tollgate::ptx
