// The rules of docs/memory-model.md, each with the ordering and without.
#include "race_bench.h"

#include <gtest/gtest.h>

namespace tollgate::checks::testing {

constexpr auto Load = AccessKind::Load, Store = AccessKind::Store, Atomic = AccessKind::Atomic;
constexpr Who a{0, 0, 0}, lane1{0, 0, 1}, warp1{0, 1, 0}, other{1, 0, 0};
constexpr uint64_t data = global_base, flag = global_base + 256, tile = shared_base;

struct Races : ::testing::Test {
  RaceBench bench;
};

TEST_F(Races, ReadersOnlyAreSilent) {
  bench.read(a, 1, data), bench.read(warp1, 2, data), bench.read(other, 3, data);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, TwoWarpsWithoutABarrier) {
  bench.warp(0, 0, Store, 1, tile, 4);
  bench.warp(0, 1, Load, 2, tile + 4, 4, 1);
  ASSERT_EQ(bench.heard(), Heard{"error race-shared 2 1"});
  const Finding& f = bench.sink.findings[0];
  EXPECT_EQ(f.message,
            "read by thread (32,0,0) and write by thread (1,0,0) of block (0,0,0) meet at shared memory+4, and "
            "nothing orders the two");
  EXPECT_EQ(f.help, "put __syncthreads() between lines 1 and 2");
  EXPECT_EQ(f.at.access, "read");
  EXPECT_EQ(f.others[0].thread.thread[0], 1u);
}

// A neighbour in the warp is met first: its __syncwarp() would not help the other warps.
TEST_F(Races, TheFarthestThreadsOfTwoPlacesAreTold) {
  bench.warp(0, 0, Store, 1, tile, 4);
  bench.read(a, 2, tile + 4);
  EXPECT_EQ(bench.sink.findings.back().help, "put __syncwarp() between lines 1 and 2");
  bench.warp(0, 1, Store, 1, tile + 128, 4);
  bench.read(a, 2, tile + 128);
  bench.read(a, 2, tile + 8);
  bench.race.on_launch_end();
  ASSERT_EQ(bench.heard(), (Heard{"error race-shared 2 1", "error race-shared 2 1"}));
  const Finding& f = bench.sink.findings.back();
  EXPECT_TRUE(f.revised);
  EXPECT_EQ(f.count, 2u);
  EXPECT_EQ(f.help, "put __syncthreads() between lines 1 and 2");
}

TEST_F(Races, AdviceNamesTheLineThatCallsTheToolkit) {
  bench.sites.file = "container.hpp";
  bench.sites.wrapped = {94};
  bench.read(a, 92, tile);
  bench.warp(0, 1, Atomic, 94, tile, 0, 1, Order::Relaxed, SyncScope::Gpu);
  bench.race.on_launch_end();
  ASSERT_EQ(bench.sink.findings.size(), 1u);
  EXPECT_EQ(bench.sink.findings[0].help,
            "make the plain access in line 92 atomic as well, or put __syncthreads() between lines 92 and 94");
}

// sums[i] += sums[i ^ 8], where the += is a function of a header.
TEST_F(Races, AdviceNamesLinesOfOneFile) {
  bench.sites.lines = {{3, 63}, {4, 63}};
  bench.sites.helped = {4};
  bench.read({0, 0, 8}, 3, tile);
  bench.write(a, 4, tile);
  ASSERT_EQ(bench.sink.findings.size(), 1u);
  EXPECT_EQ(bench.sink.findings[0].help,
            "use an atomic such as atomicAdd if threads share the element; if each writes its own, read in a statement "
            "of its own and put __syncwarp() between the two");
  bench.sites.lines[5] = 70;
  bench.read(lane1, 5, tile);
  EXPECT_EQ(bench.sink.findings.back().help, "put __syncwarp() between lines 63 and 70");
}

// The order of a run means nothing: only a warp that has been there before can be on a further pass.
TEST_F(Races, ABarrierBehindTheReadIsForLoopsOnly) {
  bench.read(a, 5, tile);
  bench.write(warp1, 4, tile);
  ASSERT_EQ(bench.sink.findings.size(), 1u);
  EXPECT_EQ(bench.sink.findings[0].help, "put __syncthreads() between lines 4 and 5");
  bench.write(warp1, 8, tile + 64);
  bench.barrier(0);
  bench.read(a, 9, tile + 64);
  bench.write(warp1, 8, tile + 64);
  ASSERT_EQ(bench.sink.findings.size(), 2u);
  EXPECT_EQ(bench.sink.findings[1].help, "put __syncthreads() after line 9, before the next pass through line 8");
}

TEST_F(Races, ABlockBarrierOrders) {
  bench.warp(0, 0, Store, 1, tile, 4);
  bench.barrier(0);
  bench.warp(0, 1, Load, 2, tile + 4, 4, 1);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.warp(0, 0, Store, 3, tile, 4);
  EXPECT_EQ(bench.heard(), Heard{"error race-shared 3 2"});
}

TEST_F(Races, SharedMemoryOfAnotherBlockIsAnother) {
  bench.write(a, 1, tile);
  bench.read(other, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, LanesOfOneInstruction) {
  bench.warp(0, 0, Store, 1, tile, 0);
  EXPECT_EQ(bench.heard(), Heard{"error race-shared 1 1"});
}

TEST_F(Races, LanesOfOneWarpNeedAWarpBarrier) {
  bench.warp(0, 0, Store, 1, tile, 4, 0xffff);
  bench.warp_barrier(0, 0);
  bench.read(lane1, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.warp(0, 0, Store, 3, tile + 128, 4, 0xffff);
  bench.warp_barrier(0, 0, 0x5); // lanes 0 and 2
  bench.read({0, 0, 2}, 4, tile + 128);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read(lane1, 5, tile + 128);
  EXPECT_EQ(bench.heard(), Heard{"error race-shared 5 3"});
}

TEST_F(Races, BytesOfOneWordAreApart) {
  MemoryEvent event;
  uint64_t addresses[warp_size]{data + 1};
  event.mask = 1, event.site = 1, event.kind = Store, event.bytes = 1, event.address = addresses;
  bench.race.on_memory(event);
  addresses[0] = data + 2, event.warp = 1, event.site = 2;
  bench.race.on_memory(event);
  EXPECT_EQ(bench.heard(), Heard{});
  addresses[0] = data + 1;
  bench.race.on_memory(event);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 2 1"});
}

TEST_F(Races, ArrivingIsAReleaseOnly) {
  bench.write(warp1, 1, tile);
  bench.arrive(0, 1, 1, BarrierKind::Arrive);
  bench.write(warp1, 2, tile + 4); // after the arrival: not covered
  bench.write(a, 3, tile + 8);
  bench.arrive(0, 0, 1);
  bench.complete(0, 1);
  bench.read(a, 4, tile);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read(a, 5, tile + 4);
  bench.read(warp1, 6, tile + 8); // it never waited
  EXPECT_EQ(bench.heard(), (Heard{"error race-shared 5 2", "error race-shared 6 3"}));
}

TEST_F(Races, ThreadsThatHadLeftAreNotOrdered) {
  bench.write(warp1, 1, tile);
  bench.arrive(0, 0);
  bench.complete(0);
  bench.read(a, 2, tile);
  EXPECT_EQ(bench.heard(), Heard{"error race-shared 2 1"});
}

TEST_F(Races, AtomicsDoNotRaceWithEachOther) {
  bench.atomic(a, 1, data), bench.atomic(warp1, 2, data), bench.atomic(other, 3, data);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read({1, 1, 0}, 4, data);
  bench.race.on_launch_end();
  EXPECT_FALSE(bench.heard().empty());
}

TEST_F(Races, BlockScopeLeavesOutOtherBlocks) {
  bench.atomic(a, 1, data, Order::Relaxed, SyncScope::Cta);
  bench.atomic(warp1, 2, data, Order::Relaxed, SyncScope::Cta);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.atomic(other, 3, data);
  EXPECT_EQ(bench.heard(), (Heard{"error race-scope 3 1", "error race-scope 3 2"}));
}

// --- message passing

struct MessagePassing : Races {
  void pass(Order store, SyncScope store_scope, Order load, SyncScope load_scope) {
    bench.write(a, 1, data);
    bench.one(a, Store, 2, flag, store, store_scope);
    bench.one(other, Load, 3, flag, load, load_scope);
    bench.read(other, 4, data);
  }
};

TEST_F(MessagePassing, ReleaseAndAcquire) {
  pass(Order::Release, SyncScope::Gpu, Order::Acquire, SyncScope::Gpu);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.write(other, 5, data + 4);
  bench.read(a, 6, data + 4); // the other way round nothing is ordered
  EXPECT_EQ(bench.heard(), Heard{"error race-global 6 5"});
}
TEST_F(MessagePassing, RelaxedOrdersNothing) {
  pass(Order::Relaxed, SyncScope::Gpu, Order::Relaxed, SyncScope::Gpu);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 4 1"});
}
TEST_F(MessagePassing, WithoutRelease) {
  pass(Order::Relaxed, SyncScope::Gpu, Order::Acquire, SyncScope::Gpu);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 4 1"});
}
TEST_F(MessagePassing, WithoutAcquire) {
  pass(Order::Release, SyncScope::Gpu, Order::Relaxed, SyncScope::Gpu);
  EXPECT_EQ(bench.heard(), Heard{"warning missing-acquire 4 1"});
  EXPECT_EQ(bench.sink.findings[0].others.at(1).at.stack[0].line, 3u);
}
TEST_F(MessagePassing, BlockScopeRelease) {
  pass(Order::Release, SyncScope::Cta, Order::Acquire, SyncScope::Gpu);
  EXPECT_EQ(bench.heard(), (Heard{"error race-scope 3 2", "error race-scope 4 1"}));
}
TEST_F(MessagePassing, BlockScopeWithinTheBlock) {
  bench.write(a, 1, data);
  bench.one(a, Store, 2, flag, Order::Release, SyncScope::Cta);
  bench.one(warp1, Load, 3, flag, Order::Acquire, SyncScope::Cta);
  bench.read(warp1, 4, data);
  EXPECT_EQ(bench.heard(), Heard{});
}
TEST_F(MessagePassing, FencesAndVolatileFlags) {
  bench.write(a, 1, data);
  bench.fence(a);
  bench.one(a, Store, 2, flag, Order::Volatile, SyncScope::Sys);
  bench.one(other, Load, 3, flag, Order::Volatile, SyncScope::Sys);
  bench.fence(other);
  bench.read(other, 4, data);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.write(a, 5, data + 4); // after the fence
  bench.one(a, Store, 6, flag, Order::Volatile, SyncScope::Sys);
  bench.one(other, Load, 7, flag, Order::Volatile, SyncScope::Sys);
  bench.fence(other);
  bench.read(other, 8, data + 4);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 8 5"});
}
TEST_F(MessagePassing, FencesAloneOrderNothing) {
  bench.write(a, 1, data);
  bench.fence(a), bench.fence(other);
  bench.read(other, 2, data);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 2 1"});
}
TEST_F(MessagePassing, AWeakFlagIsARace) {
  bench.fence(a);
  bench.write(a, 1, flag);
  bench.one(other, Load, 2, flag, Order::Volatile, SyncScope::Sys);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 2 1"});
}
TEST_F(MessagePassing, UpdatesExtendARelease) {
  bench.write(a, 1, data);
  bench.one(a, Store, 2, flag, Order::Release, SyncScope::Gpu);
  bench.atomic({0, 1, 3}, 3, flag); // relaxed, by somebody else
  bench.one(other, Load, 4, flag, Order::Acquire, SyncScope::Gpu);
  bench.read(other, 5, data);
  EXPECT_EQ(bench.heard(), Heard{});
}
TEST_F(MessagePassing, AnotherThreadsStoreEndsIt) {
  bench.write(a, 1, data);
  bench.one(a, Store, 2, flag, Order::Release, SyncScope::Gpu);
  bench.one(warp1, Store, 3, flag, Order::Relaxed, SyncScope::Gpu);
  bench.one(other, Load, 4, flag, Order::Acquire, SyncScope::Gpu);
  bench.read(other, 5, data);
  EXPECT_EQ(bench.heard(), Heard{"error race-global 5 1"});
}
TEST_F(MessagePassing, OrderIsHandedOn) { // write to read causality, over a barrier and a second flag
  bench.write(a, 1, data);
  bench.barrier(0);
  bench.one(warp1, Store, 2, flag, Order::Release, SyncScope::Gpu);
  bench.one(other, Load, 3, flag, Order::Acquire, SyncScope::Gpu);
  bench.barrier(1);
  bench.read({1, 1, 7}, 4, data);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, LastBlockReduction) {
  for (uint64_t block : {0, 1}) {
    bench.write({block, 0, 0}, 1, data + 4 * block);
    bench.fence({block, 0, 0});
    bench.atomic({block, 0, 0}, 2, flag);
    bench.fence({block, 0, 0});
    bench.barrier(block);
  }
  bench.read({1, 1, 0}, 3, data);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, SpinLock) {
  for (const Who who : {a, warp1, other, lane1}) {
    bench.atomic(who, 1, flag);
    bench.fence(who);
    bench.read(who, 2, data), bench.write(who, 3, data);
    bench.fence(who);
    bench.atomic(who, 4, flag);
  }
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, Mbarrier) {
  constexpr uint64_t object = tile + 512;
  bench.mbarrier(a, MbarrierOp::Init, object);
  bench.barrier(0);
  bench.write(a, 1, tile);
  bench.mbarrier(a, MbarrierOp::Arrive, object);
  bench.write(a, 2, tile + 4);
  bench.mbarrier(warp1, MbarrierOp::Arrive, object, true);
  bench.mbarrier(warp1, MbarrierOp::Wait, object);
  bench.read(warp1, 3, tile);
  EXPECT_EQ(bench.heard(), Heard{});
  bench.read(warp1, 4, tile + 4);
  EXPECT_EQ(bench.heard(), Heard{"error race-shared 4 2"});
}

TEST_F(Races, WarpSynchronousIdiom) {
  bench.warp(0, 0, Store, 1, tile, 4, all_lanes, Order::Volatile, SyncScope::Sys);
  bench.warp(0, 0, Load, 2, tile + 64, 4, 0xffff, Order::Volatile, SyncScope::Sys);
  EXPECT_EQ(bench.heard(), Heard{"error warp-synchronous 2 1"});
  bench.warp(0, 1, Load, 3, tile, 4, all_lanes, Order::Volatile, SyncScope::Sys); // another warp: a flag access
  EXPECT_EQ(bench.heard().size(), 1u);
}

TEST_F(Races, SameValue) {
  const std::array<uint32_t, warp_size> ones = [] {
    std::array<uint32_t, warp_size> v;
    v.fill(1);
    return v;
  }();
  bench.warp(0, 0, Store, 1, tile, 0, all_lanes, Order::Weak, SyncScope::None, ones.data());
  bench.race.on_launch_end();
  EXPECT_EQ(bench.heard(), Heard{"warning race-same-value 1 1"});
}

TEST_F(Races, AGuessThatACompareAndSwapChecks) {
  for (const uint32_t warp : {0u, 1u}) {
    uint64_t addresses[warp_size]{data};
    MemoryEvent guess; // its value goes to the swap alone, says the code (simd/guesses.h)
    guess.block = RaceBench::ref(0), guess.warp = warp, guess.mask = 1, guess.site = 1, guess.kind = AccessKind::Load;
    guess.bytes = 4, guess.address = addresses, guess.compares = true;
    bench.race.on_memory(guess);
    MemoryEvent event;
    event.block = RaceBench::ref(0), event.warp = warp, event.mask = 1, event.site = 2, event.kind = Atomic;
    event.bytes = 4, event.address = addresses, event.order = Order::Relaxed, event.scope = SyncScope::Gpu,
    event.compares = true;
    bench.race.on_memory(event);
  }
  bench.race.on_launch_end();
  ASSERT_EQ(bench.sink.findings.size(), 1u);
  EXPECT_EQ(bench.sink.findings[0].rule, "race-cas-guess");
  EXPECT_EQ(bench.sink.findings[0].severity, Severity::Note);
}

TEST_F(Races, AKernelBoundaryOrdersAll) {
  bench.write(a, 1, data);
  bench.race.on_launch_end();
  bench.race.on_launch(bench.info);
  bench.read(other, 2, data);
  EXPECT_EQ(bench.heard(), Heard{});
}

TEST_F(Races, ManyPairsAreOneFindingWithACount) {
  for (uint32_t i = 0; i < 1000; ++i) {
    bench.write(a, 1, data + 4 * i);
    bench.read(other, 2, data + 4 * i);
  }
  bench.race.on_launch_end();
  ASSERT_EQ(bench.sink.findings.size(), 2u); // the first, and the rest with a count
  EXPECT_EQ(bench.sink.findings[0].count + bench.sink.findings[1].count, 1000u);
}

TEST(BlockTree, JoinsSparseBlocks) {
  race::BlockTree x = race::BlockTree{}.with(3, race::BlockView{5}).with(70'000, race::BlockView{7});
  race::BlockTree y = race::BlockTree{}.with(3, race::BlockView{2}).with(1ull << 40, race::BlockView{1});
  const race::BlockTree both = x.join(y);
  ASSERT_NE(both.find(3), nullptr);
  EXPECT_TRUE(both.find(3)->covers(0, 0, 5));
  EXPECT_FALSE(both.find(3)->covers(0, 0, 6));
  EXPECT_TRUE(both.find(70'000)->covers(9, 3, 7));
  EXPECT_NE(both.find(1ull << 40), nullptr);
  EXPECT_EQ(both.find(4), nullptr);
  EXPECT_EQ(both.find(1ull << 50), nullptr);
  EXPECT_TRUE(both.join(x) == both);
}

TEST(RaceInClusters, TheBarrierOrdersItsOwnBlocks) {
  RaceBench bench(64, 4);
  bench.in_clusters_of(2);
  bench.write({0, 0, 3}, 1, data);
  bench.cluster_barrier({0, 1});
  bench.write({1, 1, 5}, 2, data); // of the same cluster
  EXPECT_TRUE(bench.heard().empty());
  bench.cluster_barrier({2, 3});
  bench.read({2, 0, 0}, 3, data); // of another
  EXPECT_EQ(bench.heard(), (Heard{"error race-global 3 2"}));
}

TEST(RaceInClusters, ARelaxedArrivalOrdersNothing) {
  RaceBench bench(64, 2);
  bench.in_clusters_of(2);
  bench.write({0, 0, 3}, 1, data);
  bench.cluster_barrier({0, 1}, false);
  bench.read({1, 0, 0}, 2, data);
  EXPECT_EQ(bench.heard(), (Heard{"error race-global 2 1"}));
}

TEST(RaceInClusters, AFenceBeforeARelaxedArrivalReleases) {
  RaceBench bench(32, 2);
  bench.in_clusters_of(2);
  bench.write({0, 0, 3}, 1, data);
  bench.fence({0, 0, 3}, SyncScope::Cluster, Order::AcqRel);
  bench.write({0, 0, 3}, 2, data + 64); // behind the fence
  bench.cluster_barrier({0, 1}, false);
  bench.read({1, 0, 0}, 3, data);
  EXPECT_TRUE(bench.heard().empty());
  bench.read({1, 0, 0}, 4, data + 64);
  EXPECT_EQ(bench.heard(), (Heard{"error race-global 4 2"}));
}

TEST(RaceInClusters, SharedMemoryIsOneObjectForAllBlocks) {
  RaceBench bench(64, 2);
  bench.in_clusters_of(2);
  bench.write({0, 0, 3}, 1, tile);
  bench.barrier(0);
  bench.barrier(1);
  bench.read({1, 0, 0}, 2, tile);
  EXPECT_EQ(bench.heard(), (Heard{"error race-shared 2 1"}));
}

TEST(RaceInClusters, AnMbarrierOfAnotherBlockOrders) {
  RaceBench bench(64, 2);
  bench.in_clusters_of(2);
  bench.write({0, 0, 3}, 1, tile);
  bench.mbarrier({0, 0, 3}, MbarrierOp::Arrive, tile + 512, true);
  bench.mbarrier({1, 1, 0}, MbarrierOp::Wait, tile + 512);
  bench.read({1, 1, 0}, 2, tile);
  EXPECT_TRUE(bench.heard().empty());
}

TEST(RaceInClusters, ClusterScopeReachesTheCluster) {
  RaceBench bench(64, 4);
  bench.in_clusters_of(2);
  bench.atomic({0, 0, 0}, 1, data, Order::Relaxed, SyncScope::Cluster);
  bench.atomic({1, 0, 0}, 2, data, Order::Relaxed, SyncScope::Cluster);
  EXPECT_TRUE(bench.heard().empty());
  bench.atomic({2, 0, 0}, 3, data, Order::Relaxed, SyncScope::Cluster);
  EXPECT_EQ(bench.heard().at(0).substr(0, 18), "error race-scope 3");
}

} // namespace tollgate::checks::testing
