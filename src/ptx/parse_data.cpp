// Variables and initialisers (PTX ISA 5.4).
#include "ptx/names.h"
#include "ptx/parser_state.h"

#include <algorithm>
#include <bit>

namespace tollgate::ptx {
namespace {

constexpr uint64_t max_variable_bytes = uint64_t{1} << 40;
constexpr uint64_t max_initialised_bytes = uint64_t{1} << 28;
constexpr size_t max_dimensions = 16;

unsigned element_bytes(Type type) { return std::max(1U, bit_width(type) / 8); }

std::optional<uint8_t> vector_length(std::string_view directive) {
  if (directive == ".v2") return 2;
  if (directive == ".v4") return 4;
  if (directive == ".v8") return 8;
  return std::nullopt;
}

// A double as the bits of an element of `type`: 1.5 may initialise an .f32.
uint64_t convert_float(const ConstantValue& value, Type type) {
  if (value.floating == Operand::FloatLiteral::F32) {
    return type == Type::F64 ? std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(value.bits))})
                             : value.bits;
  }
  return type == Type::F32 ? std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)))
                           : value.bits;
}

} // namespace

bool ParserState::parse_attribute(Declaration& declaration) {
  if (!expect('(', "after .attribute")) return false;
  uint32_t depth = 1;
  while (depth != 0) {
    if (token_.kind == TokenKind::End || token_.kind == TokenKind::Bad)
      return fail_unexpected("')' to close .attribute");
    if (token_.is_dot(".managed")) declaration.managed = true;
    if (token_.is('(')) ++depth;
    if (token_.is(')')) --depth;
    advance();
  }
  return true;
}

// .ptr{.space}{.align N} of a kernel parameter.
bool ParserState::parse_pointer_attribute(Declaration& declaration) {
  declaration.pointer = true;
  while (token_.kind == TokenKind::Dot) {
    const bool align = token_.text == ".align";
    if (!align && token_.text != ".global" && token_.text != ".shared" && token_.text != ".const" &&
        token_.text != ".local") {
      return fail_unexpected("a state space or .align");
    }
    advance();
    uint64_t ignored = 0; // the alignment of what it points to, a promise that nothing here relies on
    if (align && !parse_unsigned(ignored, uint64_t{1} << 31, "the alignment")) return false;
  }
  return true;
}

// .align N .v4 .f32, in any order, up to the name.
bool ParserState::parse_declaration_head(Declaration& declaration) {
  while (token_.kind == TokenKind::Dot) {
    const Token directive = token_;
    advance();
    uint64_t value = 0;
    if (directive.text == ".align") {
      if (!parse_unsigned(value, uint64_t{1} << 20, "the alignment")) return false;
      if (!std::has_single_bit(value)) return fail(directive, "the alignment must be a power of two");
      declaration.align = static_cast<uint32_t>(value);
    } else if (const auto vec = vector_length(directive.text)) {
      declaration.vec = *vec;
    } else if (directive.text == ".attribute") {
      if (!parse_attribute(declaration)) return false;
    } else if (directive.text == ".ptr") {
      if (!parse_pointer_attribute(declaration)) return false;
    } else if (directive.text == ".texref" || directive.text == ".samplerref" || directive.text == ".surfref") {
      declaration.type = Type::B64;
      declaration.opaque = true;
    } else if (const auto type = type_named(directive.text.substr(1)); type && declaration.type == Type::None) {
      declaration.type = *type;
    } else {
      return fail(directive, "unexpected '" + std::string(directive.text) + "' in a declaration",
                  "a declaration is .space .align N .type name");
    }
  }
  return declaration.type != Type::None || fail_unexpected("a type");
}

bool ParserState::parse_dimensions(std::vector<uint64_t>& dimensions, bool& unsized) {
  while (token_.is('[')) {
    const Token at = token_;
    advance();
    if (dimensions.size() == max_dimensions) return fail(at, "too many dimensions");
    if (token_.is(']')) {
      if (!dimensions.empty()) return fail(at, "only the first dimension may be left open");
      unsized = true;
      dimensions.push_back(0);
    } else {
      uint64_t extent = 0;
      if (!parse_unsigned(extent, max_variable_bytes, "the array size")) return false;
      dimensions.push_back(extent);
    }
    if (!expect(']', "after the array size")) return false;
  }
  return true;
}

bool ParserState::parse_declarator(const Declaration& declaration, Variable& variable, Token& name,
                                   bool may_be_nameless) {
  if (!expect_name("a variable name", name)) return false;
  if (name.text == "_" && !may_be_nameless) return fail(name, "a variable needs a name");
  variable.name = name.text;
  variable.ptx_line = name.line;
  variable.space = declaration.space;
  variable.type = declaration.type;
  variable.vec = declaration.vec;
  variable.is_managed = declaration.managed;
  variable.is_pointer = declaration.pointer;
  const unsigned scalar = element_bytes(declaration.type) * declaration.vec;
  variable.align = declaration.align != 0 ? declaration.align : scalar;
  std::vector<uint64_t> dimensions;
  bool unsized = false;
  if (!parse_dimensions(dimensions, unsized)) return false;
  uint64_t size = scalar;
  for (const uint64_t extent : dimensions) {
    if (extent != 0 && size > max_variable_bytes / extent)
      return fail(name, "variable '" + variable.name + "' is too large");
    size *= extent;
  }
  variable.size = size;
  return !accept('=') || parse_initialiser(declaration, variable, dimensions, unsized);
}

bool ParserState::parse_initialiser(const Declaration& declaration, Variable& variable,
                                    std::vector<uint64_t>& dimensions, bool unsized) {
  if (declaration.opaque) { // sampler settings, only meaningful to texture instructions
    return lexer_.skip_past('}') ? (advance(), true) : fail_unexpected("'}'");
  }
  uint64_t elements = 0;
  if (declaration.vec > 1) dimensions.push_back(declaration.vec);
  if (!token_.is('{')) {
    if (!dimensions.empty()) return fail_unexpected("'{' for the initial values");
    return parse_element(variable, 0);
  }
  if (dimensions.empty()) dimensions.push_back(1);
  if (unsized) dimensions[0] = max_initialised_bytes;
  if (!parse_brace_list(variable, dimensions, 0, 0, elements)) return false;
  if (unsized) {
    uint64_t stride = element_bytes(variable.type);
    for (size_t i = 1; i < dimensions.size(); ++i) stride *= dimensions[i];
    variable.size = elements * stride;
  }
  return true;
}

// { a, b, { c, d } }: a nested brace starts a new row of the next dimension; missing values are zero.
bool ParserState::parse_brace_list(Variable& variable, const std::vector<uint64_t>& dimensions, size_t depth,
                                   uint64_t offset, uint64_t& elements) {
  const Token open = token_;
  advance();
  uint64_t row = element_bytes(variable.type);
  for (size_t i = depth + 1; i < dimensions.size(); ++i) row *= dimensions[i];
  const uint64_t bytes = row * dimensions[depth];
  uint64_t position = 0;
  while (!token_.is('}')) {
    if (position >= bytes) return fail(token_, "too many initial values for '" + variable.name + "'");
    if (token_.is('{')) {
      if (depth + 1 == dimensions.size())
        return fail(token_, quoted(variable.name) + " has fewer dimensions than its initial value");
      position = (position + row - 1) / row * row;
      uint64_t inner = 0;
      if (!parse_brace_list(variable, dimensions, depth + 1, offset + position, inner)) return false;
      position += row;
    } else {
      if (!parse_element(variable, offset + position)) return false;
      position += element_bytes(variable.type);
    }
    if (!accept(',')) break;
  }
  elements = (position + row - 1) / row;
  return expect('}', "to close the initial value") || fail(open, "no end");
}

bool ParserState::store_value(Variable& variable, uint64_t offset, const ConstantValue& value, const Token& at) {
  const unsigned bytes = element_bytes(variable.type);
  if (offset + bytes > max_initialised_bytes)
    return fail(at, "the initial value of '" + variable.name + "' is too large");
  if (variable.init.size() < offset + bytes) variable.init.resize(offset + bytes);
  uint64_t bits = value.floating == Operand::FloatLiteral::No ? value.bits : convert_float(value, variable.type);
  if (value.floating == Operand::FloatLiteral::No && variable.type == Type::F32)
    bits = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(bits)));
  if (value.floating == Operand::FloatLiteral::No && variable.type == Type::F64)
    bits = std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(bits)));
  for (unsigned i = 0; i < bytes; ++i) variable.init[offset + i] = i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : 0;
  return true;
}

// x, x+4, generic(x)+4, 0xFF00(x): an address, or one byte of it.
bool ParserState::parse_address_element(Variable& variable, uint64_t offset, uint64_t mask) {
  Relocation relocation;
  relocation.offset = static_cast<uint32_t>(offset);
  relocation.size = static_cast<uint8_t>(element_bytes(variable.type));
  if (mask != 0) relocation.byte = static_cast<uint8_t>(std::countr_zero(mask) / 8);
  Token name;
  if (!expect_name("a variable or function", name)) return false;
  if (name.text == "generic" && accept('(')) {
    relocation.generic = true;
    if (!expect_name("a variable", name)) return false;
    if (!parse_offset(relocation.addend) || !expect(')', "after generic(")) return false;
  }
  const auto symbol = look_up_symbol(name.text);
  if (!symbol)
    return fail(name, "unknown name '" + std::string(name.text) + "' in an initial value",
                "declare it before this line");
  relocation.symbol = *symbol;
  if (!parse_offset(relocation.addend)) return false;
  if (mask == 0 && relocation.size != 8 && relocation.size != 4) {
    return fail(name, "an address does not fit an element of type ." + std::string(to_string(variable.type)));
  }
  ConstantValue zero;
  if (!store_value(variable, offset, zero, name)) return false;
  variable.relocations.push_back(relocation);
  return true;
}

bool ParserState::parse_element(Variable& variable, uint64_t offset) {
  const Token at = token_;
  if (offset > max_initialised_bytes) return fail(at, "the initial value of '" + variable.name + "' is too large");
  if (token_.kind == TokenKind::Name && !token_.is_name("WARP_SZ")) return parse_address_element(variable, offset, 0);
  ConstantValue value;
  if (!parse_constant(value)) return false;
  if (!token_.is('(')) return store_value(variable, offset, value, at);
  const int shift = std::countr_zero(value.bits);
  if (value.bits == 0 || shift % 8 != 0 || value.bits >> shift != 0xFF || element_bytes(variable.type) != 1) {
    return fail(at, "an address mask must select one byte of an address, for an element of one byte",
                "write 0xFF(x), 0xFF00(x), ...");
  }
  advance();
  return parse_address_element(variable, offset, value.bits) && expect(')', "after the masked address");
}

bool ParserState::add_module_variable(const Token& name, Variable variable) {
  const auto [it, inserted] = module_names_.try_emplace(
      name.text, Symbol{SymbolKind::ModuleVar, static_cast<uint32_t>(module_->variables.size())});
  if (inserted) {
    module_->variables.push_back(std::move(variable));
    return true;
  }
  if (it->second.kind != SymbolKind::ModuleVar) return fail(name, quoted(name.text) + " is already a function");
  Variable& known = module_->variables[it->second.index];
  if (!known.is_extern && !variable.is_extern && !known.is_weak && !known.is_common) {
    return fail(name, "variable '" + std::string(name.text) + "' is defined twice",
                "line " + std::to_string(known.ptx_line) + " has the other definition");
  }
  if (!variable.is_extern) known = std::move(variable);
  return true;
}

bool ParserState::parse_module_variables(const Linkage& linkage) {
  Declaration declaration;
  declaration.space = token_.text == ".global"  ? Space::Global
                      : token_.text == ".const" ? Space::Const
                      : token_.text == ".local" ? Space::Local
                                                : Space::Shared;
  if (token_.kind != TokenKind::Dot ||
      (token_.text != ".global" && token_.text != ".const" && token_.text != ".shared" && token_.text != ".local")) {
    return fail_unexpected("a state space");
  }
  advance();
  if (!parse_declaration_head(declaration)) return false;
  do {
    Variable variable;
    Token name;
    if (!parse_declarator(declaration, variable, name, false)) return false;
    variable.is_extern = linkage.is_extern;
    variable.is_visible = linkage.is_visible;
    variable.is_weak = linkage.is_weak;
    variable.is_common = linkage.is_common;
    if (!add_module_variable(name, std::move(variable))) return false;
  } while (accept(','));
  return expect(';', "after the variable declaration");
}

bool ParserState::parse_local_variables() {
  Declaration declaration;
  declaration.space = token_.text == ".local" ? Space::Local : token_.text == ".shared" ? Space::Shared : Space::Param;
  advance();
  if (!parse_declaration_head(declaration)) return false;
  do {
    Variable variable;
    Token name;
    if (!parse_declarator(declaration, variable, name, false)) return false;
    if (!declare(name, {Entity::Kind::Variable, static_cast<uint32_t>(function_->variables.size())})) return false;
    function_->variables.push_back(std::move(variable));
  } while (accept(','));
  return expect(';', "after the variable declaration");
}

} // namespace tollgate::ptx
