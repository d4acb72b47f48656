// PTX text -> tokens, on demand. Positions are byte offsets; line and column are derived from the line table.
#pragma once

#include <cstdint>
#include <string_view>

namespace tollgate::ptx {

enum class TokenKind : uint8_t {
  End,
  Name,    // add, %r1, $L__BB0_1, _Z3foov, _
  Dot,     // .reg, .u32, .shared::cta; the text includes the dot
  Number,  // 12, 0x1FU, 0f3F800000, 1.5e3
  String,  // "...", the text excludes the quotes
  Punct,   // one character
  Bad,     // a character that PTX does not use, or a string or comment without end
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint32_t offset = 0; // of the first character
  uint32_t line = 1;
  uint32_t line_start = 0; // offset of that line

  [[nodiscard]] uint32_t column() const { return offset - line_start + 1; }
  [[nodiscard]] bool is(char c) const { return kind == TokenKind::Punct && text[0] == c; }
  [[nodiscard]] bool is_dot(std::string_view directive) const { return kind == TokenKind::Dot && text == directive; }
  [[nodiscard]] bool is_name(std::string_view name) const { return kind == TokenKind::Name && text == name; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  // Moves to just after the next `c`, whatever stands between; false at the end of the text.
  bool skip_past(char c);

private:
  void skip_blank();
  Token make(TokenKind kind, uint32_t begin, uint32_t end);
  Token lex_number();
  Token lex_string();
  void newline() { ++line_, line_start_ = pos_; }
  [[nodiscard]] char at(uint32_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  uint32_t pos_ = 0, line_ = 1, line_start_ = 0;
  bool unterminated_ = false;
};

} // namespace tollgate::ptx
