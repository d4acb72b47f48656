#include "cli/launch_text.h"

#include <charconv>
#include <cstdlib>

namespace tollgate::cli {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  parts.push_back(trimmed(text));
  return parts;
}

bool unsigned_number(std::string_view text, uint64_t& value) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool byte_count(std::string_view text, uint64_t& bytes) {
  unsigned shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (text.ends_with('G')) shift = 30;
  if (shift != 0) text.remove_suffix(1);
  if (!unsigned_number(text, bytes) || bytes > (uint64_t(1) << 40) >> shift) return false;
  bytes <<= shift;
  return true;
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<LaunchText> parse() {
    const size_t open = text_.find("<<<"), close = text_.find(">>>");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return wrong("--launch has no <<<grid,block>>>", 0);
    LaunchText launch;
    launch.kernel = trimmed(text_.substr(0, open));
    if (launch.kernel.empty()) return wrong("--launch names no kernel", 0);
    const std::string_view shape = text_.substr(open + 3, close - open - 3);
    const auto parts = split(shape, ',');
    if (parts.size() < 2 || parts.size() > 3)
      return wrong("between <<< and >>> stand the grid, the block and perhaps the bytes of dynamic shared memory",
                   at(shape));
    if (!dimensions(parts[0], launch.grid)) return wrong("the grid is not N, NxN or NxNxN", at(parts[0]));
    if (!dimensions(parts[1], launch.block)) return wrong("the block is not N, NxN or NxNxN", at(parts[1]));
    if (parts.size() == 3 && !byte_count(parts[2], launch.shared))
      return wrong("the dynamic shared memory is not a number of bytes", at(parts[2]));
    const std::string_view rest = trimmed(text_.substr(close + 3));
    if (!rest.starts_with('(') || !rest.ends_with(')')) return wrong("after >>> come the (arguments)", close + 3);
    const std::string_view arguments = trimmed(rest.substr(1, rest.size() - 2));
    if (arguments.empty()) return launch;
    for (const std::string_view text : split(arguments, ',')) {
      auto argument = parse_argument(text);
      if (!argument) return argument.error();
      launch.arguments.push_back(std::move(*argument));
    }
    return launch;
  }

private:
  size_t at(std::string_view part) const { return size_t(part.data() - text_.data()); }

  Error wrong(std::string message, size_t offset) const {
    Error error;
    error.message = std::move(message);
    error.remedy = "for example --launch 'scale<<<4,256>>>(zeros:4K, 1024, 2.5)'; numbers, zeros:BYTES, random:BYTES, "
                   "file:PATH and out:PATH:BYTES are arguments";
    error.file = "--launch";
    error.position = {1, unsigned(offset + 1)};
    error.excerpt = text_;
    return error;
  }

  static bool dimensions(std::string_view text, std::array<uint32_t, 3>& out) {
    const auto parts = split(text, 'x');
    if (parts.size() > 3) return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      uint64_t n = 0;
      if (!unsigned_number(parts[i], n) || n > UINT32_MAX) return false;
      out[i] = uint32_t(n);
    }
    return true;
  }

  Result<LaunchArgument> parse_argument(std::string_view text) const {
    LaunchArgument a;
    a.text = text;
    using Kind = LaunchArgument::Kind;
    if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
      const std::string_view word = text.substr(0, colon), value = text.substr(colon + 1);
      a.kind = word == "zeros"    ? Kind::Zeros
               : word == "random" ? Kind::Random
               : word == "file"   ? Kind::File
               : word == "out"    ? Kind::Out
                                  : Kind::Integer;
      if (a.kind == Kind::Integer) return wrong("there is no argument of the kind " + std::string(word), at(text));
      const size_t last = value.rfind(':');
      if (a.kind == Kind::File) a.path = value;
      if (a.kind == Kind::Out && last != std::string_view::npos) a.path = value.substr(0, last);
      if ((a.kind == Kind::File || a.kind == Kind::Out) && a.path.empty())
        return wrong(std::string(word) + ": lacks a path", at(text));
      if (a.kind == Kind::File) return a;
      const std::string_view bytes = a.kind == Kind::Out ? value.substr(last + 1) : value;
      if (!byte_count(bytes, a.bytes)) return wrong("not a number of bytes", at(bytes));
      return a;
    }
    const bool negative = text.starts_with('-');
    if (unsigned_number(negative ? text.substr(1) : text, a.integer)) {
      if (negative) a.integer = 0 - a.integer;
      return a;
    }
    const std::string copy(text.ends_with('f') ? text.substr(0, text.size() - 1) : text);
    char* end = nullptr;
    a.kind = Kind::Real;
    a.real = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end != '\0') return wrong("this argument is not a number", at(text));
    return a;
  }

  std::string_view text_;
};

} // namespace

Result<LaunchText> parse_launch(std::string_view text) { return Parser(text).parse(); }

} // namespace tollgate::cli
