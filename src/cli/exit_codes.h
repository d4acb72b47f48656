// Exit codes of run, check and profile (docs/rules.md). Where nothing was found the program's own code is passed on.
#pragma once

namespace tollgate::cli {

inline constexpr int exit_usage = 2;
inline constexpr int exit_tool_failed = 97;
inline constexpr int exit_incomplete = 98;
inline constexpr int exit_findings = 99; // --error-exitcode
inline constexpr int exit_signal_base = 128;

} // namespace tollgate::cli
