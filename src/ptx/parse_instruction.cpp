// Instruction statements: guard, opcode, operands, and the choice of the table row.
#include "ptx/parser_state.h"

#include <algorithm>

namespace tollgate::ptx {
namespace {

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t end; (end = text.find('.', begin)) != std::string_view::npos; begin = end + 1) {
    words.push_back(text.substr(begin, end - begin));
  }
  words.push_back(text.substr(begin));
  return words;
}

bool starts_with(const std::vector<std::string_view>& words, const std::vector<std::string_view>& prefix) {
  return words.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), words.begin());
}

// Opcodes whose first or second operand may be { a, b }: mov packs and unpacks, the others follow their .vec.
bool takes_vector(const FormPattern& pattern, const Modifiers& mods) {
  return mods.vec > 1 || pattern.form->opcode == Opcode::Mov;
}

bool fits_shape(OperandShape shape, const Operand& operand, bool vectors) {
  using Kind = Operand::Kind;
  const bool paired = operand.pair != -1;
  if (paired && shape != OperandShape::DestinationPair) return false;
  if (operand.negated && shape != OperandShape::Predicate) return false;
  switch (shape) {
  case OperandShape::Destination:
  case OperandShape::DestinationPair:
    return operand.kind == Kind::Register || operand.kind == Kind::Sink || (operand.kind == Kind::Vector && vectors);
  case OperandShape::Predicate: return operand.kind == Kind::Register || operand.kind == Kind::Immediate;
  case OperandShape::Value:
    return operand.kind == Kind::Register || operand.kind == Kind::Immediate || operand.kind == Kind::Special ||
           operand.kind == Kind::SymbolAddress || operand.kind == Kind::Label ||
           (operand.kind == Kind::Vector && vectors);
  case OperandShape::Address: return operand.kind == Kind::Address && operand.list.empty();
  case OperandShape::Label:
  case OperandShape::LabelList: return operand.kind == Kind::Label;
  }
  return false;
}

} // namespace

std::optional<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > 40) return std::nullopt;
  std::optional<std::string_view> best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  std::vector<size_t> row;
  for (std::string_view candidate : candidates) {
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        const size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    // Of two equally close words, the one that only continues what was written is likelier.
    const bool continues =
        row.back() == best_distance && best && candidate.starts_with(word) && !best->starts_with(word);
    if (row.back() < best_distance || continues) best_distance = row.back(), best = candidate;
  }
  return best;
}

bool ParserState::parse_guard(std::optional<Guard>& guard) {
  if (!accept('@')) return true;
  guard.emplace();
  guard->negated = accept('!');
  Token name;
  if (!expect_name("a predicate register after '@'", name)) return false;
  const auto entity = look_up(name.text, scope_);
  if (!entity || entity->kind != Entity::Kind::Register) {
    return fail(name, "unknown predicate '" + std::string(name.text) + "'", "declare it with .reg .pred");
  }
  guard->reg = static_cast<int32_t>(entity->index);
  if (function_->registers[entity->index].type != Type::Pred) {
    return fail(name, "guard " + std::string(name.text) + " is not a predicate register", "declare it with .reg .pred");
  }
  return true;
}

// Glues the opcode and the modifiers that follow it: normally one piece of the text.
bool ParserState::parse_opcode_text(const Token& opcode, std::string_view& text) {
  size_t end = opcode.offset + opcode.text.size();
  bool adjacent = true;
  std::string spaced;
  while (token_.kind == TokenKind::Dot) {
    if (adjacent && token_.offset != end) {
      adjacent = false;
      spaced = text_.substr(opcode.offset, end - opcode.offset);
    }
    if (!adjacent) spaced += token_.text;
    end = token_.offset + token_.text.size();
    advance();
  }
  text = text_.substr(opcode.offset, end - opcode.offset);
  if (!adjacent) text = spaced_opcodes_.emplace_back(std::move(spaced));
  return true;
}

const OpcodeMatch& ParserState::match_opcode(std::string_view text) {
  const auto [it, inserted] = opcode_cache_.try_emplace(text);
  if (!inserted) return it->second;
  std::vector<std::string_view> words = split_words(text);
  for (const uint16_t index : forms_starting_with(words.front())) {
    const FormPattern& pattern = form_patterns()[index];
    if (!starts_with(words, pattern.prefix)) continue;
    const std::vector<std::string_view> rest(words.begin() + static_cast<long>(pattern.prefix.size()), words.end());
    Modifiers mods;
    if (match_modifiers(pattern, rest, mods)) it->second.candidates.push_back({&pattern, std::move(mods)});
  }
  return it->second;
}

bool ParserState::fail_opcode(const Token& opcode, std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  const auto& forms = forms_starting_with(words.front());
  if (forms.empty()) {
    const auto guess = nearest(words.front(), opcode_words());
    return fail(opcode, "unknown instruction '" + std::string(words.front()) + "'",
                guess ? "did you mean '" + std::string(*guess) + "'?" : "`tollgate isa` lists the known instructions");
  }
  std::vector<std::string_view> known;
  for (const uint16_t index : forms) {
    const FormPattern& pattern = form_patterns()[index];
    known.insert(known.end(), pattern.prefix.begin() + 1, pattern.prefix.end());
    for (const ModSlot& slot : pattern.slots) {
      for (const ModValue& value : slot.values) known.push_back(value.text);
    }
  }
  for (size_t i = 1; i < words.size(); ++i) {
    if (std::ranges::find(known, words[i]) != known.end()) continue;
    const auto guess = nearest(words[i], known);
    return fail(opcode, quoted(words.front()) + " has no modifier '." + std::string(words[i]) + "'",
                guess ? "did you mean '." + std::string(*guess) + "'?"
                      : "its form is " + std::string(form_patterns()[forms.front()].form->syntax));
  }
  return fail(opcode, quoted(text) + " is not a form of '" + std::string(words.front()) + "'",
              "one form is " + std::string(form_patterns()[forms.front()].form->syntax) + "; `tollgate isa " +
                  std::string(words.front()) + "` lists all");
}

bool ParserState::fail_operands(const Token& opcode, std::string_view text, const OpcodeMatch& match) {
  if (!pending_.empty()) {
    const Token& name = pending_.front().second;
    return fail(name, "unknown name '" + std::string(name.text) + "'",
                "declare it before its use, or check the spelling");
  }
  return fail(opcode, "the operands do not fit '" + std::string(text) + "'",
              "the form is " + std::string(match.candidates.front().pattern->form->syntax));
}

bool ParserState::parse_instruction(const Token& opcode) {
  std::string_view text;
  Instruction instruction;
  instruction.location = location_;
  instruction.ptx_line = opcode.line;
  instruction.ptx_column = opcode.column();
  if (!parse_opcode_text(opcode, text)) return false;
  const OpcodeMatch& match = match_opcode(text);
  if (match.candidates.empty()) return fail_opcode(opcode, text);
  pending_.clear();
  if (match.candidates.front().pattern->form->opcode == Opcode::Call) {
    instruction.form = match.candidates.front().pattern->form;
    instruction.mods = match.candidates.front().mods;
    if (!parse_call(instruction)) return false;
  } else {
    while (!token_.is(';')) {
      if (!instruction.operands.empty() && !accept(',')) {
        if (token_.line == opcode.line) return fail_unexpected("',' or ';' after the operand");
        return fail(opcode, "the instruction does not end with ';'", "add ';' after the last operand");
      }
      const size_t unknown = pending_.size();
      if (!parse_operand(instruction.operands.emplace_back())) return false;
      if (pending_.size() != unknown) pending_.back().first = static_cast<uint32_t>(instruction.operands.size() - 1);
      if (instruction.operands.size() > 64) return fail(token_, "too many operands");
    }
    if (!select_form(opcode, text, instruction)) return false;
  }
  if (!expect(';', "at the end of the instruction")) return false;
  function_->instructions.push_back(std::move(instruction));
  return true;
}

bool ParserState::fits(const OpcodeMatch::Candidate& candidate, const std::vector<OperandShape>& shapes,
                       const Instruction& instruction) {
  if (shapes.size() != instruction.operands.size()) return false;
  const bool vectors = takes_vector(*candidate.pattern, candidate.mods);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!fits_shape(shapes[i], instruction.operands[i], vectors)) return false;
  }
  return true;
}

bool ParserState::select_form(const Token& opcode, std::string_view text, Instruction& instruction) {
  const OpcodeMatch& match = match_opcode(text);
  for (const auto& candidate : match.candidates) {
    instruction.form = candidate.pattern->form;
    if (candidate.pattern->open) {
      instruction.mods = candidate.mods;
      return pending_.empty() || fail_operands(opcode, text, match);
    }
    for (const auto& shapes : candidate.pattern->operands) {
      if (!fits(candidate, shapes, instruction)) continue;
      instruction.mods = candidate.mods;
      return settle_pending(instruction, shapes);
    }
  }
  return fail_operands(opcode, text, match);
}

// Names that were not declared yet are fine where a label stands, and nowhere else.
bool ParserState::settle_pending(const Instruction& instruction, const std::vector<OperandShape>& shapes) {
  for (const auto& [operand, name] : pending_) {
    const OperandShape shape = shapes[operand];
    if (shape != OperandShape::Label && shape != OperandShape::LabelList) {
      return fail(name, "unknown name '" + std::string(name.text) + "'",
                  "declare it before its use, or check the spelling");
    }
    fixups_.push_back({static_cast<uint32_t>(function_->instructions.size()), operand, scope_, name, shape});
  }
  return true;
}

bool ParserState::parse_call_list(Operand& list) {
  list.kind = Operand::Kind::ParamList;
  if (accept(')')) return true;
  do {
    const size_t unknown = pending_.size();
    if (token_.is('{') || token_.is('[')) return fail_unexpected("a parameter");
    if (!parse_operand(list.list.emplace_back())) return false;
    if (pending_.size() != unknown) {
      const Token& name = pending_.back().second;
      return fail(name, "unknown name '" + std::string(name.text) + "' in a call",
                  "declare it with .param or .reg before the call");
    }
  } while (accept(','));
  return expect(')', "to close the parameter list");
}

// call (ret), func, (params), prototype; always four operands: ParamList, SymbolAddress or Register, ParamList,
// Prototype or None.
bool ParserState::parse_call(Instruction& instruction) {
  instruction.operands.resize(4);
  instruction.operands[0].kind = instruction.operands[2].kind = Operand::Kind::ParamList;
  if (accept('(')) {
    if (!parse_call_list(instruction.operands[0]) || !expect(',', "after the return parameters")) return false;
  }
  const Token target = token_;
  if (token_.kind != TokenKind::Name) return fail_unexpected("the function to call");
  Operand& callee = instruction.operands[1];
  if (!parse_operand(callee)) return false;
  const bool direct = callee.kind == Operand::Kind::SymbolAddress && callee.symbol->kind == SymbolKind::Function;
  if (!direct && callee.kind != Operand::Kind::Register) {
    return fail(target, quoted(target.text) + " is not a function", "declare it with .func before the call");
  }
  pending_.clear();
  if (accept(',') && token_.is('(')) {
    advance();
    if (!parse_call_list(instruction.operands[2])) return false;
    if (!accept(',')) return true;
  }
  if (token_.is(';')) return true;
  Token prototype;
  if (!expect_name("a .callprototype or .calltargets label", prototype)) return false;
  fixups_.push_back({static_cast<uint32_t>(function_->instructions.size()), 3, scope_, prototype, OperandShape::Value});
  return true;
}

} // namespace tollgate::ptx
