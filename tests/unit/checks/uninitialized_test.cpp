#include "synthetic.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

constexpr uint64_t base = 0x7000'0000'0000;

struct Uninitialized : ::testing::Test {
  Bench bench{64};
  void SetUp() override {
    bench.memory.objects = {{AllocationInfo::Kind::Global, base, 256, "", "main.cpp:7"},
                            {AllocationInfo::Kind::Local, base + 4096, 4096, "", ""}};
  }
  const Finding& only() { return bench.sink.findings.at(0); }
};

TEST_F(Uninitialized, ALoadAloneIsNoMistake) {
  bench.undefined_load(all_lanes, 9, 4, base, 4);
  bench.end();
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Uninitialized, ABranchHasNoPlaceOfItsOwn) {
  bench.undefined_load(3, 9, 4, base + 8, 4);
  bench.undefined_use(3, 0, 9, ValueUse::Branch);
  ASSERT_EQ(bench.heard(), Heard{"warning uninitialized@9"});
  EXPECT_EQ(only().message,
            "a value that was never written is read from 256-byte allocation+8, and a branch depends on it");
  EXPECT_EQ(only().at.role, "read by threads 0-1 of block (0,0,0)");
  EXPECT_EQ(only().notes, Heard{"the memory was allocated at main.cpp:7"});
  EXPECT_EQ(only().at.bytes, 4u);
}

TEST_F(Uninitialized, TheUseIsTheOtherPlace) {
  bench.undefined_load(1, 9, 4, base, 4);
  bench.undefined_use(1, 12, 9, ValueUse::Store);
  EXPECT_EQ(bench.heard(), Heard{"warning uninitialized@9+12"});
}

TEST_F(Uninitialized, AnUpdateIsItsOwnPlace) {
  bench.undefined_load(1, 9, 4, base, 4);
  bench.undefined_use(1, 9, 9, ValueUse::Atomic);
  ASSERT_EQ(bench.heard(), Heard{"warning uninitialized@9"});
  EXPECT_EQ(only().message, "an atomic operation updates 256-byte allocation+0, which was never written");
  EXPECT_EQ(only().at.access, "atomic");
}

TEST_F(Uninitialized, AnUnknownLoadLeavesTheUse) {
  bench.undefined_use(1, 12, 0, ValueUse::Address);
  EXPECT_EQ(bench.heard(), Heard{"warning uninitialized@12"});
}

TEST_F(Uninitialized, OneLoadIsOneFindingWithAllItsThreads) {
  bench.undefined_load(all_lanes, 9, 4, base + 4096, 4);
  bench.undefined_use(all_lanes, 12, 9, ValueUse::Store);
  bench.undefined_use(0xff, 13, 9, ValueUse::Address, 1);
  bench.in_block(1);
  bench.undefined_use(all_lanes, 12, 9, ValueUse::Store);
  bench.end();
  ASSERT_EQ(bench.sink.findings.size(), 2u); // the sink adds up
  EXPECT_EQ(bench.sink.findings[0].count + bench.sink.findings[1].count, 72u);
  EXPECT_EQ(bench.sink.findings[1].at.threads, "threads 0-39 of block (0,0,0) and threads of 1 more block");
  EXPECT_NE(only().message.find("read from local memory"), std::string::npos);
}

// CUB's look-back computes with lanes that have no value yet.
TEST_F(Uninitialized, WhatALibraryKeepsToItselfIsANote) {
  bench.sites.library = {9, 12};
  bench.undefined_load(1, 9, 4, base, 4);
  bench.undefined_use(1, 12, 9, ValueUse::Store);
  EXPECT_EQ(only().severity, Severity::Note);
  bench.undefined_load(1, 9, 4, base, 4);
  bench.undefined_load(1, 10, 4, base, 4);
  bench.undefined_use(1, 12, 10, ValueUse::Store);
  EXPECT_EQ(bench.sink.findings.back().severity, Severity::Warning);
}

} // namespace tollgate::checks::testing
