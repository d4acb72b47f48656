// The order of work: streams, the legacy default stream, events, failures.
#include "engine/stream.h"

#include <gtest/gtest.h>

#include <future>

using namespace tollgate::engine;

namespace {

// Records the order in which tasks ran; gates hold a task until the test opens them.
class Streams : public ::testing::Test {
protected:
  StreamSet::Work log(int value) {
    return [this, value] {
      const std::lock_guard lock(mutex);
      order.push_back(value);
      return LaunchResult{};
    };
  }
  StreamSet::Work gated(std::promise<void>& gate, int value) {
    return [this, future = gate.get_future().share(), value] {
      future.wait();
      return log(value)();
    };
  }
  std::mutex mutex;
  std::vector<int> order;
  StreamSet set{false};
};

using Order = std::vector<int>;

} // namespace

TEST_F(Streams, OneStreamIsInOrderAcrossLanes) {
  const StreamId s = set.create(true);
  set.submit(s, Lane::Kernel, log(1));
  set.submit(s, Lane::Copy, log(2));
  set.submit(s, Lane::Host, log(3));
  set.submit(s, Lane::Kernel, log(4));
  set.synchronize(s);
  EXPECT_EQ(order, (Order{1, 2, 3, 4}));
}

TEST_F(Streams, NothingRunsOnTheSubmittingThread) {
  std::thread::id ran;
  set.submit(legacy_stream, Lane::Kernel, [&] {
    ran = std::this_thread::get_id();
    return LaunchResult{};
  });
  set.synchronize_all();
  EXPECT_NE(ran, std::this_thread::get_id());
  EXPECT_NE(ran, std::thread::id{});
}

TEST_F(Streams, LegacyStreamTakesTurnsWithBlockingStreams) {
  const StreamId a = set.create(true), b = set.create(true), free_stream = set.create(false);
  std::promise<void> gate;
  set.submit(a, Lane::Kernel, gated(gate, 1));
  set.submit(legacy_stream, Lane::Copy, log(2));
  const TaskRef in_b = set.submit(b, Lane::Copy, log(3));
  set.wait(set.submit(free_stream, Lane::Copy, log(0))); // passes by
  EXPECT_FALSE(set.done(in_b));
  EXPECT_FALSE(set.idle(legacy_stream));
  gate.set_value();
  set.synchronize_all();
  EXPECT_EQ(order, (Order{0, 1, 2, 3}));
}

TEST_F(Streams, LegacyStreamWaitsForDestroyedStreams) {
  const StreamId a = set.create(true);
  std::promise<void> gate;
  set.submit(a, Lane::Kernel, gated(gate, 1));
  EXPECT_TRUE(set.destroy(a));
  EXPECT_FALSE(set.destroy(a));
  EXPECT_FALSE(set.exists(a));
  set.submit(legacy_stream, Lane::Copy, log(2));
  gate.set_value();
  set.synchronize(legacy_stream);
  EXPECT_EQ(order, (Order{1, 2}));
}

TEST_F(Streams, EventsOrderOtherStreams) {
  const StreamId a = set.create(false), b = set.create(false);
  std::promise<void> gate;
  set.submit(a, Lane::Kernel, gated(gate, 1));
  const TaskRef event = set.record(a);
  set.wait_for(b, event);
  set.submit(b, Lane::Copy, log(2));
  EXPECT_FALSE(set.done(event));
  EXPECT_FALSE(set.idle(b));
  gate.set_value();
  set.synchronize(b);
  EXPECT_TRUE(set.done(event));
  EXPECT_EQ(order, (Order{1, 2}));
}

TEST_F(Streams, LongChainsOfEventsDoNotRecurse) {
  std::promise<void> gate;
  set.submit(legacy_stream, Lane::Kernel, gated(gate, 1));
  TaskRef last;
  for (int i = 0; i < 200000; ++i) last = set.record(legacy_stream);
  gate.set_value();
  set.wait(last);
  EXPECT_TRUE(set.done(last));
}

TEST_F(Streams, FailureStaysAndSkipsLaterWork) {
  set.submit(legacy_stream, Lane::Kernel, [] { return LaunchResult{Status::IllegalAddress, "bad"}; });
  set.submit(legacy_stream, Lane::Kernel, log(1));
  set.submit(legacy_stream, Lane::Host, log(2), true);
  set.synchronize_all();
  EXPECT_EQ(set.failure().status, Status::IllegalAddress);
  EXPECT_EQ(set.run_here(legacy_stream, log(3)).status, Status::IllegalAddress);
  EXPECT_EQ(order, (Order{2}));
  set.clear_failure();
  EXPECT_EQ(set.run_here(legacy_stream, log(4)).status, Status::Success);
  EXPECT_EQ(order, (Order{2, 4}));
}

TEST_F(Streams, ExceptionsBecomeFailures) {
  set.submit(legacy_stream, Lane::Kernel, []() -> LaunchResult { throw std::runtime_error("oops"); });
  set.synchronize_all();
  EXPECT_EQ(set.failure().status, Status::LaunchFailure);
}

TEST(OrderedStreams, KernelsRunInTheOrderOfSubmission) {
  StreamSet set(true);
  std::mutex mutex;
  std::vector<int> order;
  const auto log = [&](int value) {
    return [&, value] {
      const std::lock_guard lock(mutex);
      order.push_back(value);
      return LaunchResult{};
    };
  };
  std::promise<void> gate;
  const StreamId a = set.create(false), b = set.create(false);
  set.submit(a, Lane::Copy, [future = gate.get_future().share()] {
    future.wait();
    return LaunchResult{};
  });
  set.submit(a, Lane::Kernel, log(1));
  set.submit(b, Lane::Kernel, log(2)); // could run, but comes later
  gate.set_value();
  set.synchronize_all();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}
