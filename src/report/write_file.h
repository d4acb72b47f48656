// Report files appear whole or not at all.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tollgate::report {

// Writes a temporary beside `path`, flushes it to the disk and renames it, so that neither a full disk nor a kill
// leaves half a file, or destroys an older one. Devices and pipes (/dev/stdout) are written to directly. Signals that
// would end this process wait meanwhile.
[[nodiscard]] Result<void> write_whole(const std::string& path, std::string_view text);

// Whether write_whole could work, as far as it can be told before there is something to write.
[[nodiscard]] Result<void> can_write(const std::string& path);

} // namespace tollgate::report
