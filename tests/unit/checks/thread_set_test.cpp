#include "checks/thread_set.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tollgate::checks {

constexpr std::array<uint32_t, 3> flat{1024, 1, 1};

TEST(ThreadSet, OneThread) { EXPECT_EQ(thread_set({7}, flat), "thread 7"); }
TEST(ThreadSet, RangesAndSingles) { EXPECT_EQ(thread_set({40, 0, 1, 2, 3, 3}, flat), "threads 0-3 and 40"); }
TEST(ThreadSet, EveryOther) { EXPECT_EQ(thread_set({0, 2, 4, 6, 8}, flat), "threads 0, 2, 4, ..., 8"); }
TEST(ThreadSet, Empty) { EXPECT_EQ(thread_set({}, flat), ""); }

TEST(ThreadSet, ScatteredThreadsAreCutShort) {
  EXPECT_EQ(thread_set({0, 3, 7, 12, 18, 25}, flat), "threads 0, 3, 7, 12, ... (6 threads)");
}

TEST(ThreadSet, TwoAndThreeDimensions) {
  std::vector<uint32_t> first(32);
  std::iota(first.begin(), first.end(), 0u);
  EXPECT_EQ(thread_set(first, {16, 16, 1}), "threads (0,0)-(15,1)");
  EXPECT_EQ(thread_name(5, {2, 2, 2}), "(1,0,1)");
}

} // namespace tollgate::checks
