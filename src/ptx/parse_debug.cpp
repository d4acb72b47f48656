// Line information: .file, .loc, and the strings of .section .debug_str (PTX ISA 11.5).
#include "ptx/parser_state.h"

#include <filesystem>

namespace tollgate::ptx {
namespace {

constexpr uint64_t max_number = 0xFFFFFFFF;

std::string position_key(uint32_t file, uint32_t line, uint32_t column) {
  return std::to_string(file) + ':' + std::to_string(line) + ':' + std::to_string(column);
}

// nvcc names its own headers by way of the folder where it lies: /usr/local/cuda/bin/../targets/...
std::string without_detours(std::string_view path) {
  return path.starts_with('/') ? std::filesystem::path(path).lexically_normal().string() : std::string(path);
}

} // namespace

// .file 1 "path" {, timestamp, size}
bool ParserState::parse_file() {
  advance();
  uint64_t number = 0, ignored = 0;
  if (!parse_unsigned(number, max_number, "the file number")) return false;
  if (token_.kind != TokenKind::String) return fail_unexpected("the file's path in quotes");
  module_->files[static_cast<uint32_t>(number)] = without_detours(token_.text);
  advance();
  while (accept(',')) {
    if (!parse_unsigned(ignored, ~uint64_t{0}, "the time or size of the file")) return false;
  }
  return true;
}

uint32_t ParserState::intern_location(SourceLocation location) {
  const std::string position = position_key(location.file, location.line, location.column);
  const std::string key = position + ':' + std::to_string(location.inlined_at) + ':' + location.function;
  const auto [it, inserted] = location_index_.try_emplace(key, static_cast<uint32_t>(module_->locations.size()));
  if (inserted) module_->locations.push_back(std::move(location));
  latest_location_[position] = it->second;
  return it->second;
}

// The entry for the call that a location was inlined at. nvcc writes the call's own .loc, with its own chain, before
// the .loc of what was inlined there; the last one with that position is meant.
uint32_t ParserState::location_of_call(uint32_t file, uint32_t line, uint32_t column) {
  const auto it = latest_location_.find(position_key(file, line, column));
  return it != latest_location_.end() ? it->second : intern_location({file, line, column, 0, {}});
}

// .loc file line column {, function_name label {+ offset}, inlined_at file line column}
bool ParserState::parse_loc() {
  advance();
  uint64_t numbers[6] = {};
  for (int i = 0; i < 3; ++i) {
    if (!parse_unsigned(numbers[i], max_number, "a line number")) return false;
  }
  SourceLocation location{
      static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]), static_cast<uint32_t>(numbers[2]), 0, {}};
  while (accept(',')) {
    Token attribute;
    if (!expect_name("function_name or inlined_at", attribute)) return false;
    if (attribute.text == "function_name") {
      Token label;
      int64_t offset = 0;
      if (!expect_name("the label of the function's name", label) || !parse_offset(offset)) return false;
      location.function = label.text; // the label for now: the strings follow at the end of the text
    } else if (attribute.text == "inlined_at") {
      for (int i = 3; i < 6; ++i) {
        if (!parse_unsigned(numbers[i], max_number, "a line number")) return false;
      }
      location.inlined_at = location_of_call(static_cast<uint32_t>(numbers[3]), static_cast<uint32_t>(numbers[4]),
                                             static_cast<uint32_t>(numbers[5]));
    } else {
      return fail(attribute, "unknown attribute '" + std::string(attribute.text) + "' of .loc");
    }
  }
  location_ = intern_location(std::move(location));
  return true;
}

bool ParserState::parse_section() {
  advance();
  const bool strings = token_.is_dot(".debug_str");
  while (!token_.is('{')) {
    if (token_.kind == TokenKind::End || token_.kind == TokenKind::Bad) return fail_unexpected("'{' after .section");
    advance();
  }
  if (strings) return advance(), parse_debug_strings();
  if (!lexer_.skip_past('}')) return advance(), fail_unexpected("'}' at the end of the section");
  advance();
  return true;
}

// label: .b8 95, 90, ..., 0
bool ParserState::parse_debug_strings() {
  std::string* current = nullptr;
  bool ended = false;
  while (!token_.is('}')) {
    if (token_.kind == TokenKind::Name) {
      current = &debug_strings_[token_.text];
      ended = false;
      advance();
      if (!expect(':', "after the label")) return false;
    } else if (accept_dot(".b8")) {
      do {
        uint64_t byte = 0;
        if (!parse_unsigned(byte, 255, "a byte")) return false;
        ended |= byte == 0;
        if (current != nullptr && !ended) current->push_back(static_cast<char>(byte));
      } while (accept(','));
    } else {
      return fail_unexpected(".b8 or a label in .debug_str");
    }
  }
  advance();
  return true;
}

void ParserState::name_inlined_functions() {
  for (SourceLocation& location : module_->locations) {
    if (location.function.empty()) continue;
    const auto it = debug_strings_.find(location.function);
    location.function = it != debug_strings_.end() ? it->second : std::string();
  }
}

} // namespace tollgate::ptx
