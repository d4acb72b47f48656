// What `tollgate isa` and docs/ptx-coverage.md say about the instruction table.
#pragma once

#include <string>
#include <string_view>

namespace tollgate::ptx {

// The rows whose opcode or syntax contains `pattern` (all rows for an empty one), one line each, as plain text.
std::string list_forms(std::string_view pattern);

// The table as Markdown, grouped by chapter of the manual, with a summary of what runs and what is only recognised.
std::string coverage_markdown();

} // namespace tollgate::ptx
