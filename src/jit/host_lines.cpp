#include "jit/host_lines.h"

#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <map>

namespace tollgate::jit {

namespace {

llvm::symbolize::LLVMSymbolizer::Options options() {
  llvm::symbolize::LLVMSymbolizer::Options out;
  out.UseSymbolTable = false; // the name of a function without its line helps nobody
  return out;
}

// The symbolizer reads every symbol of a binary before it sees that there is nothing to be had.
bool has_lines(const std::string& binary) {
  auto file = llvm::object::ObjectFile::createObjectFile(binary);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  const auto sections = file->getBinary()->sections();
  return std::any_of(sections.begin(), sections.end(), [](const llvm::object::SectionRef& section) {
    auto name = section.getName();
    if (name) return *name == ".debug_line" || *name == ".gnu_debuglink";
    llvm::consumeError(name.takeError());
    return false;
  });
}

} // namespace

struct HostLines::Symbolizer {
  llvm::symbolize::LLVMSymbolizer llvm{options()};
  std::map<std::string, bool> worth_asking; // by binary
};

HostLines::HostLines() : symbolizer_(std::make_unique<Symbolizer>()) {}
HostLines::~HostLines() = default;

std::vector<HostLine> HostLines::find(const std::string& binary, uint64_t address) {
  const auto [known, fresh] = symbolizer_->worth_asking.try_emplace(binary);
  if (fresh) known->second = has_lines(binary);
  if (!known->second) return {};
  auto found = symbolizer_->llvm.symbolizeInlinedCode(binary, {address, llvm::object::SectionedAddress::UndefSection});
  if (!found) {
    llvm::consumeError(found.takeError());
    return {};
  }
  std::vector<HostLine> lines;
  for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
    const llvm::DILineInfo& frame = found->getFrame(i);
    if (frame.Line == 0 || frame.FileName == llvm::DILineInfo::BadString) continue;
    const bool named = frame.FunctionName != llvm::DILineInfo::BadString;
    lines.push_back({frame.FileName, named ? frame.FunctionName : "", frame.Line, frame.Column});
  }
  return lines;
}

} // namespace tollgate::jit
