#include "kernel_case.h"

#include <random>
#include <sstream>

namespace tollgate::differential {

std::vector<uint8_t> input_of(const KernelCase& kernel) {
  std::mt19937_64 random(kernel.seed * 31 + 5);
  std::vector<uint8_t> bytes(kInputBytes);
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t word = uint32_t(random());
    if (random() % 3 == 0) word &= 15; // small numbers make branches interesting
    for (size_t k = 0; k < 4; ++k) bytes[i + k] = uint8_t(word >> (8 * k));
  }
  return bytes;
}

std::vector<uint8_t> sums_of(const KernelCase&) {
  std::vector<uint8_t> bytes(kSumsBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(i * 37 + 11);
  return bytes;
}

std::string to_text(const KernelCase& k) {
  std::ostringstream out;
  out << "// shape: " << k.seed << " grid " << k.grid[0] << ' ' << k.grid[1] << ' ' << k.grid[2] << " block "
      << k.block[0] << ' ' << k.block[1] << ' ' << k.block[2] << " out " << k.out_bytes << '\n'
      << k.ptx;
  return out.str();
}

Result<KernelCase> from_text(const std::string& text) {
  size_t at = text.find("// shape: ");
  std::istringstream in(at == std::string::npos ? "" : text.substr(at + 10));
  KernelCase k;
  std::string word;
  in >> k.seed >> word >> k.grid[0] >> k.grid[1] >> k.grid[2] >> word >> k.block[0] >> k.block[1] >> k.block[2] >>
      word >> k.out_bytes;
  if (!in)
    return Error{.message = "the line '// shape: SEED grid X Y Z block X Y Z out BYTES' is missing",
                 .remedy = "see kernel_case.h",
                 .file = "",
                 .position = {},
                 .excerpt = ""};
  k.ptx = text.substr(text.find('\n', at) + 1);
  return k;
}

} // namespace tollgate::differential
