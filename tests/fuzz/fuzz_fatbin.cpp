// Any bytes as a fat binary: an error, or entries whose PTX can be unpacked or not.
#include "cudart/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto contents = tollgate::cudart::read_container({data, size});
  if (!contents) return 0;
  (void)contents->describe();
  for (const auto& entry : contents->entries) {
    if (entry.uncompressed_size < (uint64_t{1} << 20)) (void)tollgate::cudart::extract_ptx(entry);
  }
  return 0;
}
