// The recursive-descent parser behind parse_module(). One class, its methods spread over files by subject:
// parse_module.cpp, parse_data.cpp, parse_expression.cpp, parse_function.cpp, parse_instruction.cpp, parse_debug.cpp.
// Methods return false once an error has been recorded; the first error wins.
#pragma once

#include "base/result.h"
#include "ptx/form_pattern.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tollgate::ptx {

// A name inside a function.
struct Entity {
  enum class Kind : uint8_t { Register, Variable, Param, RetParam, Label, BranchTargets, Prototype };
  Kind kind = Kind::Register;
  uint32_t index = 0;
};

// `.reg .b32 %r<10>;` declares %r0 .. %r9; a register comes into being when it is first named.
struct RegisterRange {
  uint32_t count = 0;
  Type type = Type::None;
};

struct NameScope {
  int32_t parent = -1;
  std::unordered_map<std::string_view, Entity> names;
  std::unordered_map<std::string_view, RegisterRange> ranges;
};

// A use of a label, branch-target list or prototype that may be declared further down.
struct NameFixup {
  uint32_t instruction = 0, operand = 0;
  int32_t scope = 0;
  Token token;
  OperandShape shape = OperandShape::Label;
};

struct BranchTargetList {
  int32_t scope = 0;
  std::vector<Token> labels;
};

struct ConstantValue {
  Operand::FloatLiteral floating = Operand::FloatLiteral::No;
  bool is_unsigned = false;
  uint64_t bits = 0;
};

// The forms an opcode text ("ld.global.nc.u32") fits, before its operands are known.
struct OpcodeMatch {
  struct Candidate {
    const FormPattern* pattern;
    Modifiers mods;
  };
  std::vector<Candidate> candidates;
};

class ParserState {
public:
  ParserState(std::string_view text, std::string_view name);

  bool parse();
  std::shared_ptr<Module> take() { return std::move(module_); }
  Error take_error() { return std::move(*error_); }

private:
  // Errors and tokens.
  bool fail(const Token& at, std::string message, std::string remedy = {});
  bool fail_unexpected(std::string_view wanted);
  void advance() { token_ = lexer_.next(); }
  bool accept(char c);
  bool accept_dot(std::string_view directive);
  bool expect(char c, std::string_view where);
  bool expect_name(std::string_view what, Token& out);

  // parse_module.cpp
  struct Linkage {
    bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
  };
  bool parse_version();
  bool parse_target();
  bool parse_address_size();
  bool parse_top_level();
  bool parse_linkage(Linkage& linkage);
  bool parse_alias();
  bool skip_to_semicolon();
  bool check_header(const Token& at);
  bool finish_module();

  // parse_data.cpp
  struct Declaration {
    Space space = Space::Global;
    uint32_t align = 0;
    Type type = Type::None;
    uint8_t vec = 1;
    bool managed = false, pointer = false, opaque = false;
  };
  bool parse_declaration_head(Declaration& declaration);
  bool parse_attribute(Declaration& declaration);
  bool parse_pointer_attribute(Declaration& declaration);
  bool parse_declarator(const Declaration& declaration, Variable& variable, Token& name, bool may_be_nameless);
  bool parse_dimensions(std::vector<uint64_t>& dimensions, bool& unsized);
  bool parse_initialiser(const Declaration& declaration, Variable& variable, std::vector<uint64_t>& dimensions, bool unsized);
  bool parse_brace_list(Variable& variable, const std::vector<uint64_t>& dimensions, size_t depth, uint64_t offset,
                        uint64_t& elements);
  bool parse_element(Variable& variable, uint64_t offset);
  bool store_value(Variable& variable, uint64_t offset, const ConstantValue& value, const Token& at);
  bool parse_address_element(Variable& variable, uint64_t offset, uint64_t mask);
  bool parse_module_variables(const Linkage& linkage);
  bool add_module_variable(const Token& name, Variable variable);
  bool parse_local_variables();

  // parse_expression.cpp: constant expressions (PTX ISA 4.6)
  bool parse_constant(ConstantValue& value);
  bool parse_binary(ConstantValue& value, int min_precedence);
  bool parse_unary(ConstantValue& value);
  bool parse_number(const Token& token, ConstantValue& value);
  bool parse_unsigned(uint64_t& value, uint64_t limit, std::string_view what);
  bool parse_offset(int64_t& offset);

  // parse_function.cpp
  bool parse_function(const Linkage& linkage, bool is_entry);
  bool parse_param_list(std::vector<Variable>& params, bool nameless);
  bool parse_function_directives(Function& function);
  bool parse_triple(std::array<uint32_t, 3>& out);
  bool parse_body(Function& function);
  bool parse_statement(bool& closed);
  bool parse_body_directive();
  bool parse_registers();
  bool parse_label(const Token& name);
  bool parse_branch_targets(const Token& name);
  bool parse_call_targets(const Token& name);
  bool parse_call_prototype(const Token& name);
  bool push_scope(const Token& at);
  bool declare(const Token& name, Entity entity);
  std::optional<Entity> look_up(std::string_view name, int32_t scope);
  std::optional<Symbol> look_up_symbol(std::string_view name);
  int32_t materialise(NameScope& scope, std::string_view name);
  bool resolve_fixups();
  bool resolve_fixup(const NameFixup& fixup);
  bool resolve_label(const Token& name, int32_t scope, Operand& out);

  // parse_instruction.cpp
  bool parse_guard(std::optional<Guard>& guard);
  bool parse_instruction(const Token& opcode);
  bool parse_opcode_text(const Token& opcode, std::string_view& text);
  const OpcodeMatch& match_opcode(std::string_view text);
  bool fail_opcode(const Token& opcode, std::string_view text);
  bool fail_operands(const Token& opcode, std::string_view text, const OpcodeMatch& match);
  bool parse_call(Instruction& instruction);
  bool parse_call_list(Operand& list);
  bool select_form(const Token& opcode, std::string_view text, Instruction& instruction);
  bool fits(const OpcodeMatch::Candidate& candidate, const std::vector<OperandShape>& shapes, const Instruction& instruction);
  bool settle_pending(const Instruction& instruction, const std::vector<OperandShape>& shapes);

  // parse_operand.cpp
  bool parse_operand(Operand& operand);
  bool parse_name_operand(Operand& operand);
  bool parse_register_operand(Operand& operand);
  bool parse_pair(Operand& operand);
  bool parse_vector(Operand& operand);
  bool parse_address(Operand& operand);
  bool parse_address_base(Operand& operand);

  // parse_debug.cpp
  bool parse_file();
  bool parse_loc();
  bool parse_section();
  bool parse_debug_strings();
  uint32_t intern_location(SourceLocation location);
  uint32_t location_of_call(uint32_t file, uint32_t line, uint32_t column);
  void name_inlined_functions();

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::shared_ptr<Module> module_;
  std::optional<Error> error_;

  std::unordered_map<std::string_view, Symbol> module_names_;
  std::unordered_map<std::string_view, std::string> debug_strings_;
  std::unordered_map<std::string, uint32_t> location_index_;
  std::unordered_map<std::string, uint32_t> latest_location_; // "file:line:column" -> the last one
  std::unordered_map<std::string_view, OpcodeMatch> opcode_cache_;
  std::deque<std::string> spaced_opcodes_; // texts of opcodes written with blanks inside

  // The function being parsed.
  Function* function_ = nullptr;
  std::vector<NameScope> scopes_;
  int32_t scope_ = -1;
  uint32_t scope_depth_ = 0;
  std::vector<NameFixup> fixups_;
  std::vector<BranchTargetList> branch_targets_;
  std::vector<std::pair<uint32_t, Token>> pending_; // operands of the current instruction that are unknown names
  uint32_t location_ = 0;
  uint32_t expression_depth_ = 0;
};

std::string quoted(std::string_view text); // 'text'

// The candidate closest to `word` in spelling, if one is close enough to suggest.
std::optional<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& candidates);

} // namespace tollgate::ptx
