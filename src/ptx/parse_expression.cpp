// Constants and constant expressions (PTX ISA 4.5, 4.6).
#include "ptx/parser_state.h"

#include <bit>
#include <charconv>
#include <cstdlib>

namespace tollgate::ptx {
namespace {

constexpr uint32_t max_depth = 200;

int precedence(std::string_view op) {
  struct Level {
    std::string_view op;
    int level;
  };
  constexpr Level levels[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                              {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                              {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  for (const Level& level : levels) {
    if (level.op == op) return level.level;
  }
  return 0;
}

uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? a % b : a / b;
  if (b == ~uint64_t{0}) return remainder ? 0 : 0 - a; // INT64_MIN / -1 wraps
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t shift_right(uint64_t a, uint64_t by, bool is_unsigned) {
  if (by > 63) return !is_unsigned && (a >> 63) != 0 ? ~uint64_t{0} : 0;
  return is_unsigned ? a >> by : static_cast<uint64_t>(static_cast<int64_t>(a) >> by);
}

uint64_t evaluate(std::string_view op, uint64_t a, uint64_t b, bool is_unsigned) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  const bool less = is_unsigned ? a < b : x < y;
  switch (op[0]) {
  case '+': return a + b;
  case '-': return a - b;
  case '*': return a * b;
  case '/': return divide(a, b, is_unsigned, false);
  case '%': return divide(a, b, is_unsigned, true);
  case '^': return a ^ b;
  case '&': return op.size() == 2 ? uint64_t{a != 0 && b != 0} : a & b;
  case '|': return op.size() == 2 ? uint64_t{a != 0 || b != 0} : a | b;
  case '=': return a == b;
  case '!': return a != b;
  case '<': return op == "<<" ? (b > 63 ? 0 : a << b) : op == "<" ? less : (less || a == b);
  default: return op == ">>" ? shift_right(a, b, is_unsigned) : op == ">" ? (!less && a != b) : !less;
  }
}

bool parse_hex_float(std::string_view digits, size_t width, uint64_t& bits) {
  if (digits.size() != width) return false;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return ec == std::errc{} && end == digits.data() + digits.size();
}

} // namespace

bool ParserState::parse_number(const Token& token, ConstantValue& value) {
  std::string_view text = token.text;
  const bool prefixed = text.size() > 2 && text[0] == '0';
  const char kind = prefixed ? static_cast<char>(text[1] | 0x20) : '\0';
  if (kind == 'f' || kind == 'd') {
    value.floating = kind == 'f' ? Operand::FloatLiteral::F32 : Operand::FloatLiteral::F64;
    if (parse_hex_float(text.substr(2), kind == 'f' ? 8 : 16, value.bits)) return true;
    return fail(token, quoted(text) + " is not a floating-point constant",
                "0f takes 8 hexadecimal digits, 0d takes 16");
  }
  if (kind != 'x' && text.find_first_of(".eE") != std::string_view::npos) {
    const std::string copy(text);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size()) return fail(token, quoted(copy) + " is not a number");
    value.floating = Operand::FloatLiteral::Decimal;
    value.bits = std::bit_cast<uint64_t>(number);
    return true;
  }
  if (text.back() == 'U' || text.back() == 'u') {
    value.is_unsigned = true;
    text.remove_suffix(1);
  }
  int base = 10;
  if (text.size() > 2 && (kind == 'x' || kind == 'b')) {
    base = kind == 'x' ? 16 : 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value.bits, base);
  if (ec == std::errc::result_out_of_range) return fail(token, quoted(token.text) + " does not fit 64 bits");
  if (ec != std::errc{} || end != text.data() + text.size())
    return fail(token, quoted(token.text) + " is not a number");
  value.is_unsigned |= (value.bits >> 63) != 0;
  return true;
}

bool ParserState::parse_unary(ConstantValue& value) {
  const Token start = token_;
  if (++expression_depth_ > max_depth) return fail(start, "the expression nests too deeply");
  bool ok = true;
  if (accept('(')) {
    if (token_.kind == TokenKind::Dot) { // a cast: (.s64)
      const bool to_unsigned = token_.text == ".u64";
      if (!to_unsigned && token_.text != ".s64") return fail(token_, "a cast in a constant is (.s64) or (.u64)");
      advance();
      ok = expect(')', "after the cast") && parse_unary(value);
      value.is_unsigned = to_unsigned;
    } else {
      ok = parse_constant(value) && expect(')', "to close the expression");
    }
  } else if (token_.kind == TokenKind::Punct &&
             std::string_view("-+~!").find(token_.text[0]) != std::string_view::npos) {
    const char op = token_.text[0];
    advance();
    if (!parse_unary(value)) return false;
    if (value.floating != Operand::FloatLiteral::No) {
      if (op == '-') value.bits ^= uint64_t{1} << (value.floating == Operand::FloatLiteral::F32 ? 31 : 63);
      if (op == '~' || op == '!') return fail(start, "an integer operator is applied to a floating-point constant");
    } else {
      value.bits = op == '-'   ? 0 - value.bits
                   : op == '~' ? ~value.bits
                   : op == '!' ? uint64_t{value.bits == 0}
                               : value.bits;
      if (op == '-') value.is_unsigned = false;
    }
  } else if (token_.kind == TokenKind::Number) {
    value = {};
    ok = parse_number(token_, value);
    if (ok) advance();
  } else if (token_.is_name("WARP_SZ")) {
    value = {Operand::FloatLiteral::No, false, 32};
    advance();
  } else {
    ok = fail_unexpected("a constant");
  }
  --expression_depth_;
  return ok;
}

bool ParserState::parse_binary(ConstantValue& value, int min_precedence) {
  if (!parse_unary(value)) return false;
  while (token_.kind == TokenKind::Punct) {
    const Token op_token = token_;
    // Two-character operators arrive as two adjacent tokens.
    const std::string_view pair = text_.substr(token_.offset, 2);
    const std::string_view op = precedence(pair) != 0 ? pair : token_.text;
    const int level = precedence(op);
    if (level == 0 || level < min_precedence) return true;
    advance();
    if (op.size() == 2) advance();
    ConstantValue right;
    if (++expression_depth_ > max_depth) return fail(op_token, "the expression nests too deeply");
    if (!parse_binary(right, level + 1)) return false;
    --expression_depth_;
    if (value.floating != Operand::FloatLiteral::No || right.floating != Operand::FloatLiteral::No) {
      return fail(op_token, "floating-point constants cannot be combined", "write the result as one 0f or 0d constant");
    }
    if ((op == "/" || op == "%") && right.bits == 0) return fail(op_token, "division by zero in a constant");
    value.is_unsigned |= right.is_unsigned;
    value.bits = evaluate(op, value.bits, right.bits, value.is_unsigned);
    if (level == 1 || level == 2 || level == 6 || level == 7) value.is_unsigned = false;
  }
  return true;
}

bool ParserState::parse_constant(ConstantValue& value) {
  const Token start = token_;
  if (!parse_binary(value, 1)) return false;
  if (!accept('?')) return true;
  if (++expression_depth_ > max_depth) return fail(start, "the expression nests too deeply");
  ConstantValue yes, no;
  if (!parse_constant(yes) || !expect(':', "between the two values of ?:") || !parse_constant(no)) return false;
  --expression_depth_;
  value = value.bits != 0 ? yes : no;
  return true;
}

bool ParserState::parse_unsigned(uint64_t& value, uint64_t limit, std::string_view what) {
  const Token at = token_;
  ConstantValue constant;
  if (!parse_constant(constant)) return false;
  if (constant.floating != Operand::FloatLiteral::No || constant.bits > limit) {
    return fail(at, std::string(what) + " must be an integer from 0 to " + std::to_string(limit));
  }
  value = constant.bits;
  return true;
}

// "+8", "-8", "+-8" and sums of them, as they follow a name in an address.
bool ParserState::parse_offset(int64_t& offset) {
  auto sum = static_cast<uint64_t>(offset);
  while (token_.is('+') || token_.is('-')) {
    const Token at = token_;
    const bool minus = at.is('-');
    advance();
    ConstantValue value;
    if (!parse_binary(value, 10)) return false;
    if (value.floating != Operand::FloatLiteral::No) return fail(at, "an address offset must be an integer");
    sum = minus ? sum - value.bits : sum + value.bits;
  }
  offset = static_cast<int64_t>(sum);
  return true;
}

} // namespace tollgate::ptx
