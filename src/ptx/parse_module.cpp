// Module level: header, linkage, top-level declarations (PTX ISA 11).
#include "ptx/parser.h"
#include "ptx/parser_state.h"
#include "ptx/verifier.h"

#include <charconv>
#include <limits>

namespace tollgate::ptx {
namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::End) return "the end of the text";
  if (token.kind == TokenKind::Bad && token.text == "comment without end") return "a comment without end";
  if (token.kind == TokenKind::Bad && token.text.starts_with('"')) return "a string without end";
  return quoted(token.text.substr(0, 60));
}

} // namespace

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  return out.append("'").append(text).append("'");
}

ParserState::ParserState(std::string_view text, std::string_view name)
    : text_(text), lexer_(text), module_(std::make_shared<Module>()) {
  module_->name = name;
  module_->lines = split_lines(text);
  advance();
}

bool ParserState::fail(const Token& at, std::string message, std::string remedy) {
  if (error_) return false;
  error_.emplace();
  error_->message = std::move(message);
  error_->remedy = std::move(remedy);
  error_->file = module_->name;
  error_->position = {at.line, at.column()};
  if (at.line >= 1 && at.line <= module_->lines.size()) error_->excerpt = module_->lines[at.line - 1].substr(0, 400);
  return false;
}

bool ParserState::fail_unexpected(std::string_view wanted) {
  return fail(token_, "expected " + std::string(wanted) + ", found " + describe(token_));
}

bool ParserState::accept(char c) {
  if (!token_.is(c)) return false;
  advance();
  return true;
}

bool ParserState::accept_dot(std::string_view directive) {
  if (!token_.is_dot(directive)) return false;
  advance();
  return true;
}

bool ParserState::expect(char c, std::string_view where) {
  return accept(c) || fail_unexpected(quoted({&c, 1}) + ' ' + std::string(where));
}

bool ParserState::expect_name(std::string_view what, Token& out) {
  out = token_;
  if (token_.kind != TokenKind::Name) return fail_unexpected(what);
  advance();
  return true;
}

bool ParserState::parse_version() {
  const Token at = token_;
  const std::string_view text = token_.text;
  const auto dot = text.find('.');
  if (token_.kind != TokenKind::Number || dot == std::string_view::npos) return fail_unexpected("a version such as 8.0");
  std::from_chars(text.data(), text.data() + dot, module_->version_major);
  std::from_chars(text.data() + dot + 1, text.data() + text.size(), module_->version_minor);
  advance();
  return module_->version_major >= 1 || fail(at, "PTX version " + std::string(text) + " does not exist");
}

bool ParserState::parse_target() {
  do {
    Token name;
    if (!expect_name("a target such as sm_80", name)) return false;
    if (!name.text.starts_with("sm_") && !name.text.starts_with("compute_")) continue; // debug, texmode_independent
    const std::string_view digits = name.text.substr(name.text.find('_') + 1);
    module_->target = name.text;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), module_->target_sm);
    if (ec != std::errc{} || end + 1 < digits.data() + digits.size()) return fail(name, "unknown target '" + std::string(name.text) + "'");
  } while (accept(','));
  return true;
}

bool ParserState::parse_address_size() {
  const Token at = token_;
  uint64_t bits = 0;
  if (!parse_unsigned(bits, 64, "the address size")) return false;
  return bits == 64 || fail(at, "only 64-bit PTX is supported", "compile with nvcc -m64 (the default)");
}

bool ParserState::skip_to_semicolon() {
  while (!token_.is(';')) {
    if (token_.kind == TokenKind::End || token_.kind == TokenKind::Bad) return fail_unexpected("';'");
    advance();
  }
  advance();
  return true;
}

bool ParserState::parse_linkage(Linkage& linkage) {
  for (;; advance()) {
    if (token_.is_dot(".extern")) linkage.is_extern = true;
    else if (token_.is_dot(".visible")) linkage.is_visible = true;
    else if (token_.is_dot(".weak")) linkage.is_weak = true;
    else if (token_.is_dot(".common")) linkage.is_common = true;
    else return true;
  }
}

// .alias name, function; -- the name becomes another way to reach the function.
bool ParserState::parse_alias() {
  Token alias, target;
  if (!expect_name("the new name", alias) || !expect(',', "after the new name") || !expect_name("a function", target)) return false;
  const auto it = module_names_.find(target.text);
  if (it == module_names_.end() || it->second.kind != SymbolKind::Function) return fail(target, quoted(target.text) + " is not a function");
  const Symbol symbol = it->second;
  const auto known = module_names_.find(alias.text);
  if (known != module_names_.end() && known->second.kind != SymbolKind::Function) return fail(alias, quoted(alias.text) + " is already a variable");
  if (known == module_names_.end()) {
    module_names_.emplace(alias.text, symbol);
  } else if (known->second.index != symbol.index) { // earlier uses refer to the declaration: give it the body
    const Function& source = module_->functions[symbol.index];
    if (!module_->functions[known->second.index].is_declaration) return fail(alias, quoted(alias.text) + " is already defined");
    Function copy = source;
    copy.name = alias.text;
    module_->functions[known->second.index] = std::move(copy);
  }
  return expect(';', "after .alias");
}

bool ParserState::check_header(const Token& at) {
  if (module_->version_major == 0) return fail(at, "the text does not start with .version", "is this PTX? A PTX file starts with .version and .target");
  return true;
}

bool ParserState::parse_top_level() {
  const Token start = token_;
  if (token_.is(';')) return advance(), true;
  if (token_.is('@')) return lexer_.skip_past('\n'), advance(), check_header(start); // @@DWARF of PTX 1.x
  if (token_.kind != TokenKind::Dot) return check_header(start) && fail_unexpected("a declaration");
  if (accept_dot(".version")) return parse_version();
  if (!check_header(start)) return false;
  if (accept_dot(".target")) return parse_target();
  if (accept_dot(".address_size")) return parse_address_size();
  if (token_.is_dot(".file")) return parse_file();
  if (token_.is_dot(".loc")) return parse_loc();
  if (token_.is_dot(".section")) return parse_section();
  if (token_.is_dot(".pragma")) return skip_to_semicolon();
  if (accept_dot(".alias")) return parse_alias();
  Linkage linkage;
  if (!parse_linkage(linkage)) return false;
  if (accept_dot(".entry")) return parse_function(linkage, true);
  if (accept_dot(".func")) return parse_function(linkage, false);
  if (token_.is_dot(".global") || token_.is_dot(".const") || token_.is_dot(".shared") || token_.is_dot(".local")) return parse_module_variables(linkage);
  return fail(token_, token_.kind == TokenKind::Dot ? "unknown directive '" + std::string(token_.text) + "'" : "expected a declaration, found " + describe(token_));
}

bool ParserState::finish_module() {
  if (module_->version_major == 0) return check_header(token_);
  name_inlined_functions();
  Result<void> verified = verify(*module_);
  if (!verified) {
    error_ = std::move(verified.error());
    return false;
  }
  return true;
}

bool ParserState::parse() {
  if (text_.size() > std::numeric_limits<int32_t>::max()) return fail(token_, "the text is larger than 2 GiB");
  while (token_.kind != TokenKind::End) {
    if (!parse_top_level()) return false;
  }
  return finish_module();
}

Result<std::shared_ptr<const Module>> parse_module(std::string_view text, std::string_view name) {
  ParserState parser(text, name);
  if (!parser.parse()) return parser.take_error();
  return std::shared_ptr<const Module>(parser.take());
}

} // namespace tollgate::ptx
