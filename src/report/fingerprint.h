// Names for findings that survive a change of the code around them: for baselines, and for services that compare runs.
#pragma once

#include "observe/finding.h"
#include "report/source.h"

#include <string>

namespace tollgate::report {

// 16 hex digits. Made of the rule and, for each place, the name of the file without its folder, the function and the
// text of the line without its spaces; not of line numbers, of the counts or of the threads. Where the source cannot
// be read the line number stands in; without line information, the kernel and its PTX line.
[[nodiscard]] std::string fingerprint(const observe::Finding& finding, SourceCache& sources);

} // namespace tollgate::report
