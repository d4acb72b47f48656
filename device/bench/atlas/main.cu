// The contention atlas: what atomics, barriers and bank conflicts cost on one GPU, one factor at a time. Writes JSON.
//
//   atlas [--out FILE]
#include "../machine.h"
#include "atlas.h"

#include <cstring>

namespace atlas {
std::vector<std::string>& rows() {
  static std::vector<std::string> all;
  return all;
}
} // namespace atlas

namespace {

// Also after a failure: what was measured until then is written.
const char* out_name = nullptr;

void write_rows() {
  cudaDeviceProp properties;
  int driver = 0, runtime = 0;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  FILE* out = out_name != nullptr ? std::fopen(out_name, "w") : stdout;
  if (out == nullptr) {
    std::fprintf(stderr, "atlas: cannot write %s\n", out_name);
    return;
  }
  std::fprintf(out, "{\"gpu\": \"%s\", \"date\": \"%s\", \"cuda_driver\": %d, \"cuda_runtime\": %d, \"rows\": [\n",
               properties.name, bench::date().c_str(), driver, runtime);
  const auto& rows = atlas::rows();
  for (size_t i = 0; i < rows.size(); ++i) std::fprintf(out, "%s%s\n", rows[i].c_str(), i + 1 < rows.size() ? "," : "");
  std::fprintf(out, "]}\n");
  if (out_name != nullptr) std::fclose(out);
  std::fprintf(stderr, "atlas: %zu rows\n", rows.size());
}

} // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::strcmp(argv[1], "--out") == 0;
  if (argc != 1 && !to_file) return std::fprintf(stderr, "usage: %s [--out FILE]\n", argv[0]), 2;
  if (to_file) out_name = argv[2];
  atlas::rows();
  std::atexit(write_rows);
  atlas::measure_barriers();
  std::fprintf(stderr, "atlas: barriers measured\n");
  atlas::measure_ladder();
  std::fprintf(stderr, "atlas: ladder measured\n");
  atlas::measure_atomics();
}
