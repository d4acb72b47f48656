#include "jit/code_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tollgate::jit {
namespace {

namespace fs = std::filesystem;

CachedCode example(size_t bytes = 100) {
  CachedCode code;
  code.functions = {{"kernel.step", 640, 16, true, {{3, 17, 8}}}, {"callee.step", 0, 8, false, {}}};
  for (size_t i = 0; i < bytes; ++i) code.object += char(i * 7);
  return code;
}

std::string key_of(std::string_view text) { return digest(text); }

class CacheFolder : public testing::Test {
protected:
  CacheFolder() {
    folder_ = fs::temp_directory_path() / ("tollgate_cache_" + std::to_string(getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  ~CacheFolder() override { fs::remove_all(folder_); }

  [[nodiscard]] size_t files() const {
    size_t n = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++n;
    return n;
  }

  fs::path folder_;
};

TEST(CodeCacheEntry, ReadsBackWhatWasWritten) {
  CachedCode code = example();
  auto back = decode(encode(code));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->object, code.object);
  ASSERT_EQ(back->functions.size(), 2u);
  EXPECT_EQ(back->functions[0].name, "kernel.step");
  EXPECT_EQ(back->functions[0].frame_bytes, 640u);
  EXPECT_TRUE(back->functions[0].has_stops);
  EXPECT_EQ(back->functions[1].local_bytes, 8u);
  ASSERT_EQ(back->functions[0].whole_stops.size(), 1u);
  EXPECT_EQ(back->functions[0].whole_stops[0].site, 17u);
}

TEST(CodeCacheEntry, EveryTruncationAndEveryFlippedByteIsNoticed) {
  std::string bytes = encode(example());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode(std::string_view(bytes).substr(0, n))) << n;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 0x20);
    EXPECT_FALSE(decode(damaged)) << i;
  }
  EXPECT_FALSE(decode(bytes + "x"));
}

TEST_F(CacheFolder, FindsWhatAnotherInstanceStored) {
  CodeCache(folder_).store(key_of("a"), example());
  auto found = CodeCache(folder_).load(key_of("a"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->object, example().object);
  EXPECT_FALSE(CodeCache(folder_).load(key_of("b")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(CacheFolder, DamagedEntryIsMissedAndReplaced) {
  CodeCache cache(folder_);
  cache.store(key_of("a"), example());
  std::ofstream(folder_ / (key_of("a") + ".tgc"), std::ios::trunc) << "not an entry";
  EXPECT_FALSE(cache.load(key_of("a")));
  cache.store(key_of("a"), example());
  EXPECT_TRUE(cache.load(key_of("a")));
}

TEST_F(CacheFolder, FolderThatCannotBeMadeIsNoError) {
  std::ofstream(folder_.string()) << "a file where the folder should be";
  CodeCache cache(folder_ / "below");
  cache.store(key_of("a"), example());
  EXPECT_FALSE(cache.load(key_of("a")));
}

TEST_F(CacheFolder, ConcurrentWritersLeaveWholeEntries) {
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t)
    writers.emplace_back([&] {
      CodeCache cache(folder_);
      for (int i = 0; i < 50; ++i) {
        cache.store(key_of("shared"), example(10'000));
        auto found = cache.load(key_of("shared"));
        EXPECT_TRUE(found && found->object == example(10'000).object);
      }
    });
  for (auto& w : writers) w.join();
  EXPECT_TRUE(CodeCache(folder_).load(key_of("shared")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(CacheFolder, TheOldestEntriesGoWhenTheFolderIsFull) {
  CodeCache(folder_).store(key_of("old"), example(1000));
  CodeCache(folder_).store(key_of("new"), example(1000));
  fs::last_write_time(folder_ / (key_of("old") + ".tgc"), fs::file_time_type::clock::now() - std::chrono::hours(24));
  CodeCache(folder_, 2000).store(key_of("next"), example(1000)); // finds more than 2,000 bytes and makes room
  EXPECT_FALSE(CodeCache(folder_).load(key_of("old")));
  EXPECT_TRUE(CodeCache(folder_).load(key_of("new")));
  EXPECT_TRUE(CodeCache(folder_).load(key_of("next")));
}

TEST(CodeCacheKey, BuildIdIsThere) { EXPECT_FALSE(build_id().empty()); }

} // namespace
} // namespace tollgate::jit
