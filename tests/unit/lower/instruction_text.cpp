#include "instruction_text.h"

#include "ptx/names.h"

#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace tollgate::test {
namespace {

using ptx::CmpOp;
using ptx::Mode;
using ptx::Operand;
using ptx::Rounding;

const std::map<std::string_view, Rounding> roundings = {
    {"rn", Rounding::RN},   {"rz", Rounding::RZ},   {"rm", Rounding::RM},   {"rp", Rounding::RP},
    {"rna", Rounding::RNA}, {"rni", Rounding::RNI}, {"rzi", Rounding::RZI}, {"rmi", Rounding::RMI},
    {"rpi", Rounding::RPI}, {"rs", Rounding::RS}};
const std::map<std::string_view, CmpOp> comparisons = {
    {"eq", CmpOp::EQ},   {"ne", CmpOp::NE},   {"lt", CmpOp::LT},   {"le", CmpOp::LE},   {"gt", CmpOp::GT},
    {"ge", CmpOp::GE},   {"lo", CmpOp::LO},   {"ls", CmpOp::LS},   {"hi", CmpOp::HI},   {"hs", CmpOp::HS},
    {"equ", CmpOp::EQU}, {"neu", CmpOp::NEU}, {"ltu", CmpOp::LTU}, {"leu", CmpOp::LEU}, {"gtu", CmpOp::GTU},
    {"geu", CmpOp::GEU}, {"num", CmpOp::NUM}, {"nan", CmpOp::NAN_}};
const std::map<std::string_view, Mode> modes = {{"lo", Mode::Lo},
                                                {"hi", Mode::Hi},
                                                {"wide", Mode::Wide},
                                                {"l", Mode::Left},
                                                {"r", Mode::Right},
                                                {"f4e", Mode::F4e},
                                                {"b4e", Mode::B4e},
                                                {"rc8", Mode::Rc8},
                                                {"ecl", Mode::Ecl},
                                                {"ecr", Mode::Ecr},
                                                {"rc16", Mode::Rc16},
                                                {"finite", Mode::Finite},
                                                {"infinite", Mode::Infinite},
                                                {"number", Mode::Number},
                                                {"notanumber", Mode::NotANumber},
                                                {"normal", Mode::Normal},
                                                {"subnormal", Mode::Subnormal}};
const std::map<std::string_view, bool ptx::Modifiers::*> flags = {{"ftz", &ptx::Modifiers::ftz},
                                                                  {"sat", &ptx::Modifiers::sat},
                                                                  {"satfinite", &ptx::Modifiers::satfinite},
                                                                  {"relu", &ptx::Modifiers::relu},
                                                                  {"approx", &ptx::Modifiers::approx},
                                                                  {"full", &ptx::Modifiers::full},
                                                                  {"NaN", &ptx::Modifiers::nan},
                                                                  {"xorsign", &ptx::Modifiers::xorsign_abs},
                                                                  {"abs", &ptx::Modifiers::xorsign_abs},
                                                                  {"cc", &ptx::Modifiers::cc},
                                                                  {"wrap", &ptx::Modifiers::wrap},
                                                                  {"clamp", &ptx::Modifiers::clamp},
                                                                  {"shiftamt", &ptx::Modifiers::shiftamt}};

void apply(std::string_view name, std::string_view word, ptx::Modifiers& mods, unsigned& types) {
  const bool compares = name == "set" || name == "setp";
  if (compares && comparisons.contains(word))
    mods.cmp = comparisons.at(word);
  else if (compares && (word == "and" || word == "or" || word == "xor"))
    mods.op = word == "and" ? ptx::Op::And : word == "or" ? ptx::Op::Or : ptx::Op::Xor;
  else if (name == "lop3" && (word == "and" || word == "or"))
    mods.op = word == "and" ? ptx::Op::And : ptx::Op::Or;
  else if (name == "dp2a" && (word == "lo" || word == "hi"))
    mods.hi_lo_pair = word == "hi";
  else if (modes.contains(word))
    mods.mode = modes.at(word);
  else if (roundings.contains(word))
    mods.rounding = roundings.at(word);
  else if (flags.contains(word))
    mods.*flags.at(word) = true;
  else if (auto type = ptx::type_named(word))
    mods.types[types++] = *type;
  else
    throw std::runtime_error("unknown modifier " + std::string(word));
}

class OperandReader {
public:
  explicit OperandReader(std::string_view text) : text_(text) {}

  std::vector<Operand> read_all() {
    std::vector<Operand> operands;
    while (skip_spaces(), !text_.empty()) {
      destination_ = operands.empty();
      operands.push_back(read());
      skip_spaces();
      if (!text_.empty() && text_[0] == ',') text_.remove_prefix(1);
    }
    return operands;
  }

private:
  void skip_spaces() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
  }
  std::string word() {
    size_t n = 0;
    while (n < text_.size() && (isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_')) ++n;
    std::string read(text_.substr(0, n));
    text_.remove_prefix(n);
    return read;
  }
  int slot(const std::string& name) {
    auto& names = destination_ ? destinations_ : sources_;
    return names.try_emplace(name, static_cast<int>(names.size())).first->second;
  }
  Operand read() {
    skip_spaces();
    Operand operand;
    if (text_[0] == '{') {
      operand.kind = Operand::Kind::Vector;
      do {
        text_.remove_prefix(1);
        operand.list.push_back(read());
        skip_spaces();
      } while (text_[0] == ',');
      text_.remove_prefix(1);
      return operand;
    }
    if (text_[0] == '!') {
      operand.negated = true;
      text_.remove_prefix(1);
    }
    const std::string name = word();
    if (name == "_") {
      operand.kind = Operand::Kind::Sink;
    } else if (isdigit(static_cast<unsigned char>(name[0]))) {
      operand.kind = Operand::Kind::Immediate;
      operand.bits = std::stoull(name, nullptr, 0);
    } else {
      operand.kind = Operand::Kind::Register;
      operand.reg = slot(name);
    }
    if (!text_.empty() && text_[0] == '|') {
      text_.remove_prefix(1);
      operand.pair = slot(word());
    }
    return operand;
  }

  std::string_view text_;
  bool destination_ = false;
  std::map<std::string, int> sources_, destinations_;
};

} // namespace

ParsedInstruction parse_instruction(std::string_view text) {
  ParsedInstruction parsed;
  const size_t space = text.find(' ');
  std::string_view opcode = text.substr(0, space);
  unsigned types = 0;
  // Names live as long as the program: InstForm holds views.
  static std::set<std::string, std::less<>> names;
  std::string_view name;
  while (!opcode.empty()) {
    const size_t dot = std::min(opcode.find('.'), opcode.size());
    const std::string_view word = opcode.substr(0, dot);
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
    if (name.empty())
      name = word;
    else if (name == "cvt" && word == "pack")
      name = "cvt.pack";
    else
      apply(name, word, parsed.instruction.mods, types);
  }
  parsed.form.name = *names.emplace(name).first;
  parsed.instruction.operands = OperandReader(text.substr(space)).read_all();
  return parsed;
}

} // namespace tollgate::test
