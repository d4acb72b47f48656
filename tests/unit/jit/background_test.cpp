#include "jit/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tollgate::jit {
namespace {

TEST(Background, WorksOffJobsInTheirOrderAndWaitsForThem) {
  std::vector<int> done;
  Background background;
  background.finish(); // nothing to wait for
  for (int i = 0; i < 5; ++i)
    background.add([&done, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      done.push_back(i);
    });
  background.finish();
  EXPECT_EQ(done, (std::vector{0, 1, 2, 3, 4}));
}

TEST(Background, EndsItsJobsWhenItGoes) {
  std::atomic<int> done = 0;
  {
    Background background;
    for (int i = 0; i < 3; ++i) background.add([&done] { ++done; });
  }
  EXPECT_EQ(done, 3);
}

TEST(Background, AForkedChildDoesNotWait) {
  std::atomic<bool> go = false;
  Background background;
  background.add([&go] {
    while (!go) std::this_thread::yield();
  });
  const pid_t child = fork();
  if (child == 0) {
    background.finish();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  go = true;
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

} // namespace
} // namespace tollgate::jit
