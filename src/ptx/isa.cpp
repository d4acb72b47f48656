#include "ptx/isa.h"

#include "ptx/inst_table.h"

#include <algorithm>

namespace tollgate::ptx {
namespace {

struct Chapter {
  std::string_view section, title;
};
// PTX ISA 9.0, chapter 9.7.
constexpr Chapter chapters[] = {{"9.7.1", "Integer arithmetic"},
                                {"9.7.2", "Extended-precision integer arithmetic"},
                                {"9.7.3", "Floating point"},
                                {"9.7.4", "Half precision floating point"},
                                {"9.7.5", "Mixed precision floating point"},
                                {"9.7.6", "Comparison and selection"},
                                {"9.7.7", "Half precision comparison"},
                                {"9.7.8", "Logic and shift"},
                                {"9.7.9", "Data movement and conversion"},
                                {"9.7.10", "Texture"},
                                {"9.7.11", "Surface"},
                                {"9.7.12", "Control flow"},
                                {"9.7.13", "Parallel synchronisation and communication"},
                                {"9.7.14", "Warp-level matrix multiply"},
                                {"9.7.15", "Asynchronous warpgroup matrix multiply"},
                                {"9.7.16", "Tensor core, 5th generation"},
                                {"9.7.17", "Stack manipulation"},
                                {"9.7.18", "Video"},
                                {"9.7.19", "Miscellaneous"}};

bool belongs(const InstForm& form, std::string_view section) {
  return form.section == section || (form.section.starts_with(section) && form.section[section.size()] == '.');
}

bool runs(const InstForm& form) { return (form.flags & Unsupported) == 0; }

const char* state(const InstForm& form) {
  if (!runs(form)) return "no";
  return (form.flags & Approximate) != 0 ? "approximate" : "yes";
}

std::string version(unsigned tenths) { return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10); }

// A table cell: the pipe of d|p would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

} // namespace

std::string list_forms(std::string_view pattern) {
  std::string out;
  for (const InstForm& form : inst_table()) {
    if (form.name.find(pattern) == std::string_view::npos && form.syntax.find(pattern) == std::string_view::npos)
      continue;
    out += runs(form) ? "yes  " : "no   ";
    out += form.syntax;
    if (!form.slots.empty()) out.append("\n       ").append(form.slots);
    out.append("\n       PTX ").append(version(form.min_ptx)).append(", sm_").append(std::to_string(form.min_sm));
    out.append(", manual ").append(form.section).append("\n");
  }
  return out;
}

std::string coverage_markdown() {
  const auto table = inst_table();
  const auto supported = std::ranges::count_if(table, runs);
  std::string out = "# PTX coverage\n\nMade by `tollgate isa --markdown` from `src/ptx/ptx_inst.def`: do not edit.\n\n";
  out += std::to_string(supported) + " of " + std::to_string(table.size()) +
         " forms run, those marked *approximate* within the error that the manual states. A kernel that reaches one of "
         "the "
         "others ends there, with a `not-modelled` finding that names the form.\n";
  for (const Chapter& chapter : chapters) {
    out.append("\n## ").append(chapter.section).append(" ").append(chapter.title);
    out += "\n\n| form | values | PTX | sm | runs |\n|---|---|---|---|---|\n";
    for (const InstForm& form : table) {
      if (!belongs(form, chapter.section)) continue;
      out += "| `" + cell(form.syntax) + "` | " + cell(form.slots) + " | " + version(form.min_ptx) + " | " +
             std::to_string(form.min_sm) + " | " + state(form) + " |\n";
    }
  }
  return out;
}

} // namespace tollgate::ptx
