#include "report/style.h"

#include <algorithm>
#include <cstdint>

namespace tollgate::report {

std::string paint(std::string_view text, Style style, bool color) {
  if (!color || style == Style::Plain) return std::string(text);
  const char* code = "1";
  switch (style) {
  case Style::Plain:
  case Style::Bold: code = "1"; break;
  case Style::Error: code = "1;31"; break;
  case Style::Warning: code = "1;33"; break;
  case Style::Note: code = "1;36"; break;
  case Style::Help: code = "1;32"; break;
  case Style::Gutter: code = "1;34"; break;
  }
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

namespace {

// Decodes one code point at `at` and moves on; a malformed byte counts as one column.
char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at++]);
  const unsigned more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
  char32_t code = more == 3 ? byte & 0x07 : more == 2 ? byte & 0x0f : more == 1 ? byte & 0x1f : byte;
  for (unsigned i = 0; i < more && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++i)
    code = (code << 6) | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return code;
}

unsigned width_of(char32_t code) {
  const bool combining = code >= 0x300 && code <= 0x36f;
  if (combining || code == 0x200b) return 0;
  const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                    (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

} // namespace

unsigned display_width(std::string_view text) {
  unsigned width = 0;
  for (size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string expand_tabs(std::string_view line) {
  std::string out;
  unsigned column = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t start = at;
    const char32_t code = next_code_point(line, at);
    if (code == '\t') {
      const unsigned spaces = 4 - column % 4;
      out.append(spaces, ' ');
      column += spaces;
    } else if (code < 0x20 || code == 0x7f) {
      if (code != '\r') out += '?', ++column;
    } else {
      out.append(line.substr(start, at - start));
      column += width_of(code);
    }
  }
  return out;
}

std::string wrap(std::string_view text, unsigned width, unsigned first, unsigned indent) {
  if (width == 0) return std::string(text);
  std::string out;
  unsigned column = first;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(at, end - at);
    const unsigned size = display_width(word);
    const bool line_start = out.empty() || column == indent;
    if (!line_start && column + 1 + size > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += size;
    at = end + 1;
  }
  return out;
}

std::string grouped_digits(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(uint64_t number, std::string_view noun) {
  return grouped_digits(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

} // namespace tollgate::report
