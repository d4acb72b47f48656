#include "ptx/lexer.h"

#include <array>

namespace tollgate::ptx {
namespace {

enum CharClass : uint8_t { Blank = 1, NameStart = 2, NameChar = 4, Digit = 8 };

// PTX ISA 4.4: identifiers start with a letter, or with _ $ % and at least one more character.
constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = NameStart | NameChar;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = NameStart | NameChar;
  for (int c = '0'; c <= '9'; ++c) classes[c] = NameChar | Digit;
  classes['_'] = classes['$'] = NameStart | NameChar;
  classes['%'] = NameStart;
  for (char c : {' ', '\t', '\r', '\v', '\f'}) classes[static_cast<uint8_t>(c)] = Blank;
  return classes;
}
constexpr auto classes = make_classes();
bool has(char c, uint8_t mask) { return (classes[static_cast<uint8_t>(c)] & mask) != 0; }

} // namespace

void Lexer::skip_blank() {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '\n') {
      ++pos_;
      newline();
    } else if (has(c, Blank) || c == '\0') {
      ++pos_; // fatbins pad their PTX with zero bytes
    } else if (c == '/' && at(pos_ + 1) == '/') {
      while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '*') {
      pos_ += 2;
      while (pos_ < text_.size() && !(text_[pos_] == '*' && at(pos_ + 1) == '/')) {
        if (text_[pos_++] == '\n') newline();
      }
      if (pos_ >= text_.size()) {
        unterminated_ = true;
        return;
      }
      pos_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::make(TokenKind kind, uint32_t begin, uint32_t end) {
  Token token{kind, text_.substr(begin, end - begin), begin, line_, line_start_};
  pos_ = end;
  return token;
}

Token Lexer::next() {
  skip_blank();
  if (unterminated_)
    return Token{TokenKind::Bad, "comment without end", static_cast<uint32_t>(text_.size()), line_, line_start_};
  if (pos_ >= text_.size()) return Token{TokenKind::End, {}, static_cast<uint32_t>(text_.size()), line_, line_start_};
  const char c = text_[pos_];
  uint32_t end = pos_ + 1;
  if (has(c, NameStart) && (c != '%' || has(at(end), NameChar))) {
    while (has(at(end), NameChar)) ++end;
    return make(TokenKind::Name, pos_, end);
  }
  if (c == '.' && has(at(end), NameChar)) {
    while (has(at(end), NameChar) || (at(end) == ':' && at(end + 1) == ':' && has(at(end + 2), NameChar))) {
      end += at(end) == ':' ? 2 : 1;
    }
    return make(TokenKind::Dot, pos_, end);
  }
  if (has(c, Digit)) return lex_number();
  if (c == '"') return lex_string();
  constexpr std::string_view punctuation = "{}[]()<>,;:=+-*/%!~&|^?@.";
  return make(punctuation.find(c) != std::string_view::npos ? TokenKind::Punct : TokenKind::Bad, pos_, end);
}

Token Lexer::lex_number() {
  uint32_t end = pos_ + 1;
  while (has(at(end), NameChar)) ++end;
  const bool prefixed = text_[pos_] == '0' && end > pos_ + 1 && !has(text_[pos_ + 1], Digit);
  if (!prefixed && at(end) == '.' && has(at(end + 1), Digit)) {
    ++end;
    while (has(at(end), NameChar)) ++end;
  }
  const char last = text_[end - 1];
  if (!prefixed && (last == 'e' || last == 'E') && (at(end) == '+' || at(end) == '-') && has(at(end + 1), Digit)) {
    ++end;
    while (has(at(end), Digit)) ++end;
  }
  return make(TokenKind::Number, pos_, end);
}

Token Lexer::lex_string() {
  uint32_t end = pos_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
    end += text_[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') {
    if (end > text_.size()) end = static_cast<uint32_t>(text_.size());
    return make(TokenKind::Bad, pos_, end);
  }
  Token token = make(TokenKind::String, pos_ + 1, end);
  pos_ = end + 1;
  return token;
}

bool Lexer::skip_past(char c) {
  while (pos_ < text_.size()) {
    const char found = text_[pos_++];
    if (found == '\n') newline();
    if (found == c) return true;
  }
  return false;
}

} // namespace tollgate::ptx
