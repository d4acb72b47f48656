#include "engine/refused.h"

#include "base/demangle.h"

#include <vector>

namespace tollgate::engine {

namespace {

class Search {
public:
  Search(const ptx::Module& module, unsigned line) : module_(module), line_(line), seen_(module.functions.size()) {}

  // Whether `function` holds the line or calls, over whatever ways, one that does: then its part of the stack is
  // pushed.
  bool visit(const ptx::Function& function) {
    const auto index = static_cast<size_t>(&function - module_.functions.data());
    if (seen_[index]) return false;
    seen_[index] = true;
    for (const ptx::Instruction& instruction : function.instructions)
      if (instruction.ptx_line == line_) return push(function, instruction);
    for (const ptx::Instruction& instruction : function.instructions)
      for (const ptx::Operand& operand : instruction.operands)
        if (operand.kind == ptx::Operand::Kind::SymbolAddress && operand.symbol->kind == ptx::SymbolKind::Function &&
            visit(module_.functions[operand.symbol->index]))
          return push(function, instruction);
    return false;
  }

  std::vector<observe::SourceFrame> take() { return std::move(stack_); }

private:
  bool push(const ptx::Function& function, const ptx::Instruction& instruction) {
    for (uint32_t at = instruction.location; at != 0; at = module_.locations[at].inlined_at) {
      const ptx::SourceLocation& location = module_.locations[at];
      const auto file = module_.files.find(location.file);
      stack_.push_back({file == module_.files.end() ? "" : file->second, location.line, location.column,
                        demangle(location.function.empty() ? function.name : location.function)});
    }
    return true;
  }

  const ptx::Module& module_;
  unsigned line_;
  std::vector<bool> seen_;
  std::vector<observe::SourceFrame> stack_;
};

} // namespace

observe::Place place_of_refusal(const ptx::Module& module, std::string_view kernel, const Error& error) {
  observe::Place place;
  place.ptx_name = error.file;
  place.ptx_line = error.position.line;
  const ptx::Function* function = module.find_function(kernel);
  if (function == nullptr || error.position.line == 0) return place;
  Search search(module, error.position.line);
  if (search.visit(*function)) place.stack = search.take();
  return place;
}

} // namespace tollgate::engine
