// Names, texts, and that docs/runtime.md says what api.def says.
#include "cudart/api.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

struct Row {
  std::string name;
  bool supported;
};

const Row rows[] = {
#define TG_FUNCTION(area, type, name, parameters) {#name, true},
#define TG_PER_THREAD(area, name, parameters, call) {#name, true},
#define TG_UNSUPPORTED(area, name) {#name, false},
#include "cudart/api.def"
#undef TG_FUNCTION
#undef TG_PER_THREAD
#undef TG_UNSUPPORTED
};

std::string read_docs() {
  std::ifstream file(TOLLGATE_SOURCE_DIR "/docs/runtime.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST(Api, NamesAreUnique) {
  std::set<std::string> seen;
  for (const Row& row : rows) EXPECT_TRUE(seen.insert(row.name).second) << row.name;
}

// Every function a user could call, by its plain name, stands in the list that tells its status.
TEST(Api, DocsNameEveryFunction) {
  const std::string docs = read_docs();
  const size_t divide = docs.find("## Not supported");
  ASSERT_NE(divide, std::string::npos);
  for (const Row& row : rows) {
    const bool variant = row.name.ends_with("_ptsz") || row.name.ends_with("_ptds");
    if (row.name.starts_with("__") || variant) continue;
    const size_t supported = docs.substr(0, divide).find("`" + row.name + "`");
    const size_t unsupported = docs.find("`" + row.name + "`", divide);
    EXPECT_EQ(supported != std::string::npos, row.supported) << row.name;
    EXPECT_EQ(unsupported != std::string::npos, !row.supported) << row.name;
  }
}

TEST(Errors, NamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(54321)), "unrecognized error code");
}

TEST(Errors, LastErrorIsReturnedOnce) {
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Errors, UnsupportedFunctionsSaySo) {
  EXPECT_EQ(cudaGraphCreate(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}
