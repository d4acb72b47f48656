#include "base/result.h"

namespace tollgate {

std::string Error::to_string() const {
  std::string out;
  if (!file.empty()) {
    out += file;
    if (position.line != 0) out += ":" + std::to_string(position.line);
    if (position.column != 0) out += ":" + std::to_string(position.column);
    out += ": ";
  }
  out += message;
  if (!excerpt.empty()) {
    out += "\n  " + excerpt;
    if (position.column != 0) {
      out += "\n  ";
      // Tabs are kept so that the caret stands under the same column in any terminal.
      for (unsigned i = 0; i + 1 < position.column && i < excerpt.size(); ++i) out += excerpt[i] == '\t' ? '\t' : ' ';
      out += '^';
    }
  }
  if (!remedy.empty()) out += "\n  help: " + remedy;
  return out;
}

} // namespace tollgate
