// Lines of host code: the runtime knows an address in the program, addr2line knows its line.
#pragma once

#include "report/process_report.h"

namespace tollgate::cli {

// Where a finding's place is a piece of host code ("program+0x123") whose line can be found, it becomes that line.
// Needs addr2line and a program with debug information; without them the finding stays as it is.
// `program` is how the process was called, `executable` the file behind that name.
void find_host_line(observe::Finding& finding, const std::string& program, const std::string& executable);

} // namespace tollgate::cli
