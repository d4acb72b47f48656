// What a result file says of where and when it was made.
#pragma once

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

namespace bench {

inline std::string date() {
  char text[32];
  const time_t now = time(nullptr);
  strftime(text, sizeof text, "%Y-%m-%d", gmtime(&now));
  return text;
}

// "580.159.04, 1980 MHz, 3201 MHz", as nvidia-smi reads them now.
inline std::string driver_and_clocks() {
  char line[256] = "unknown";
  if (FILE* smi = popen("nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.mem --format=csv,noheader", "r")) {
    if (fgets(line, sizeof line, smi) != nullptr) line[strcspn(line, "\n")] = 0;
    pclose(smi);
  }
  return line;
}

} // namespace bench
