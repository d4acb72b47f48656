#include "exec/worker.h"

#include "exec/cluster_run.h"
#include "exec/fault.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csetjmp>
#include <cstring>
#include <deque>
#include <pthread.h>
#include <random>
#include <thread>
#include <utility>

namespace tollgate::exec {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStackBytes = 60 * MiB; // of more, AddressSanitizer does not clear what a fault leaves behind
#else
constexpr size_t kStackBytes = 256 * MiB; // reserved, not used
#endif
constexpr size_t kMaxResident = 2048; // blocks that wait on others, per worker: less where many share the slabs
constexpr unsigned kMostTurns = 4096; // of one block before another has its turn
constexpr unsigned kMostTurnsWatched = 16;

// --- the pool

// A small launch is over before a sleeping thread wakes: who waits for the next or for its end first stays awake for
// about as long as waking takes, on a processor nobody else wants.
template <class Condition> void stay_awake(Condition condition) {
  constexpr auto kLongest = std::chrono::microseconds(50);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

class Pool {
public:
  static Pool& instance() {
    static auto* pool = new Pool; // never destroyed: its threads may outlive main
    return *pool;
  }

  void run(unsigned count, const std::function<void(unsigned)>& fn, const std::function<void()>& watch) {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return fn_ == nullptr; }); // one launch at a time
    while (threads_ < count) spawn();
    fn_ = &fn;
    next_ = 0;
    wanted_ = count;
    running_ = count;
    ++launches_;
    start_.notify_all();
    lock.unlock();
    stay_awake([&] { return running_ == 0; });
    lock.lock();
    while (!done_.wait_for(lock, std::chrono::milliseconds(5), [&] { return running_ == 0; })) {
      lock.unlock();
      watch();
      lock.lock();
    }
    fn_ = nullptr;
    free_.notify_one();
  }

  unsigned size() {
    std::lock_guard lock(mutex_);
    return threads_;
  }

private:
  void spawn() {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, kStackBytes);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    if (pthread_create(
            &thread, &attr,
            [](void* self) -> void* {
              static_cast<Pool*>(self)->loop();
              return nullptr;
            },
            this) == 0)
      ++threads_;
    pthread_attr_destroy(&attr);
  }

  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto has_work = [&] { return fn_ != nullptr && next_ < wanted_; };
      if (!has_work()) {
        const uint64_t seen = launches_;
        lock.unlock();
        stay_awake([&] { return launches_ != seen; });
        lock.lock();
      }
      start_.wait(lock, has_work);
      unsigned index = next_++;
      const auto* fn = fn_;
      lock.unlock();
      (*fn)(index);
      lock.lock();
      if (--running_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_, free_;
  const std::function<void(unsigned)>* fn_ = nullptr;
  unsigned threads_ = 0, next_ = 0, wanted_ = 0;
  std::atomic<unsigned> running_{0};
  std::atomic<uint64_t> launches_{0};
};

// --- one worker

thread_local sigjmp_buf* leave_to = nullptr;
thread_local observe::MemoryEvent last_access;
thread_local uint64_t last_addresses[32];
thread_local bool has_last_access = false;

struct Worker {
  Launch& launch;
  unsigned index;
  std::minstd_rand random;
  std::vector<std::unique_ptr<ClusterRun>> clusters{};
  std::vector<ClusterRun*> idle{};  // of these: for reuse
  std::deque<BlockRun*> resident{}; // started, not finished
  uint64_t alone_since = 0;         // what the configuration's function of that name said last
  BlockRun* current = nullptr;
  // Blocks taken from the launch and not begun; how many are taken at a time, and whether a block here has waited.
  uint64_t claimed = 0, claimed_end = 0, claim = 1;
  bool waited = false;

  ClusterRun* cluster() {
    if (!idle.empty()) {
      ClusterRun* known = idle.back();
      idle.pop_back();
      return known;
    }
    clusters.push_back(std::make_unique<ClusterRun>(launch, index));
    return clusters.back().get();
  }

  [[nodiscard]] bool has_more() const {
    return claimed != claimed_end || launch.next_block.load(std::memory_order_relaxed) < launch.blocks;
  }

  // Blocks start in the order of their index, in every schedule: look-back relies on it. With several workers they are
  // taken some at a time, so that neighbours, which often write to one cache line, run on one processor, as long as no
  // block waits for another: then a block that is taken and not begun would hold others up.
  bool take_blocks() {
    if (claimed != claimed_end) return true;
    if (!has_more()) return false;
    constexpr uint64_t kMost = 64, kShare = 32; // clusters; at most that part of what a worker runs
    const uint64_t fair = launch.blocks / (uint64_t(launch.config->workers) * kShare * launch.cluster_size);
    claim = waited || launch.config->workers == 1 ? 1 : std::clamp<uint64_t>(fair, 1, std::min(2 * claim, kMost));
    // Up to a multiple of as many, which is where a line of memory ends that neighbours write to.
    uint64_t first = launch.next_block.load(std::memory_order_relaxed), end = 0;
    do {
      const uint64_t cluster = first / launch.cluster_size;
      end = std::min((cluster + claim - cluster % claim) * launch.cluster_size, launch.blocks);
    } while (first < launch.blocks && !launch.next_block.compare_exchange_weak(first, end));
    if (first >= launch.blocks) return false;
    claimed = first;
    claimed_end = end;
    return true;
  }

  // A cluster starts as a whole.
  bool admit() {
    if (!take_blocks()) return false;
    const uint64_t first = claimed;
    claimed += launch.cluster_size;
    ClusterRun* fresh = cluster();
    if (!fresh->has_memory()) {
      launch.end(EndReason::OutOfMemory, "no memory for one more resident block");
      return false;
    }
    fresh->start(first / launch.cluster_size);
    current = &fresh->block(0);
    for (unsigned rank = 1; rank < fresh->size(); ++rank) resident.push_back(&fresh->block(rank));
    return true;
  }

  void run_straight() {
    ClusterRun* own = cluster();
    if (!own->has_memory()) return launch.end(EndReason::OutOfMemory, "no memory for a resident block");
    current = &own->block(0);
    // Neighbours walk neighbouring memory, which each new chunk begins anew: many at a time, fewer towards the end,
    // where nobody should wait long for the last.
    const uint64_t workers = launch.config->workers;
    const uint64_t fewest = std::clamp<uint64_t>(launch.blocks / (workers * 16), 1, 16);
    constexpr uint64_t kMost = 1024;
    while (!launch.ending()) {
      const uint64_t begun = std::min(launch.next_block.load(std::memory_order_relaxed), launch.blocks);
      const uint64_t chunk = std::clamp((launch.blocks - begun) / (workers * 8), fewest, kMost);
      const uint64_t first = launch.next_block.fetch_add(chunk);
      if (first >= launch.blocks) return;
      for (uint64_t b = first; b < std::min(first + chunk, launch.blocks); ++b) current->run_straight(b);
    }
  }

  // Once all have spun: as many as there are, so that a long way to the last block is not squared. When the device is
  // full, its blocks first get a round of their own: who starts after that should not have been needed.
  [[nodiscard]] size_t more_at_once() const {
    const size_t all = std::max<size_t>(resident.size(), 1);
    const uint64_t room =
        launch.config->resident_blocks - std::min<uint64_t>(resident.size(), launch.config->resident_blocks);
    return room == 0 ? all : std::min<size_t>(all, room);
  }

  // Started blocks wait for earlier ones, which have started as well: none needs more of them.
  [[nodiscard]] bool may_start_more() const {
    return resident.size() < std::clamp<size_t>(kMaxSlabs / launch.config->workers, 1, kMaxResident);
  }

  [[nodiscard]] bool watching() const { return launch.livelock && launch.livelock->active(); }

  // After a turn: true if from now on all goes round in a circle.
  bool repeats(size_t fruitless, unsigned in_a_row) {
    if (!watching()) return false;
    const uint64_t scheduler = mix(mix(mix(kDigestSeed, current->ref().linear), fruitless), in_a_row);
    if (!launch.livelock->turn(current->ref().linear, current->digest(), scheduler)) return false;
    // Somebody may have written after these reads and then begun to wait: what counts is what was read since.
    const uint64_t before = std::exchange(alone_since, launch.config->alone_since());
    if (alone_since != 0 && alone_since == before) return true;
    launch.livelock->begin_again();
    return false;
  }

  // The block that came first tells, whoever's turn it is.
  void report_livelock() {
    std::vector<BlockRun*> all(resident.begin(), resident.end());
    all.push_back(current);
    std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->ref().linear < b->ref().linear; });
    all.front()->report_stuck(true, std::span<BlockRun* const>(all).subspan(1));
  }

  // A block whose threads only wait for other blocks is put aside; the next one, or a new one, has its turn.
  void run_blocks() {
    size_t fruitless = 0; // blocks tried in a row that only spun
    size_t to_admit = 1;
    unsigned in_a_row = 0; // turns of the current block
    while (!launch.ending()) {
      if (!current) {
        const bool more = has_more();
        if (fruitless >= resident.size()) to_admit = more_at_once();
        if (more && to_admit != 0 && may_start_more() && admit()) {
          --to_admit;
          fruitless = 0;
          if (launch.livelock) launch.livelock->progress();
        } else if (!resident.empty()) {
          // A seed changes whose turn it is among the blocks that have started.
          if (launch.config->seed != 0 && !watching())
            std::swap(resident.front(), resident[random() % resident.size()]);
          current = resident.front();
          resident.pop_front();
          if (fruitless > resident.size()) { // nobody here can go on: let other workers and the host have the processor
            if (launch.livelock) launch.livelock->round();
            std::this_thread::yield();
            fruitless = 0;
          }
        } else {
          return;
        }
        in_a_row = 0;
      }
      Turn turn = current->turn();
      waited = waited || turn == Turn::Spun || turn == Turn::Stuck;
      // A loop that walks memory may be a wait as well: others get their turn now and then.
      if (turn == Turn::Stuck && !current->cluster().is_stuck(*current)) turn = Turn::Spun; // another block may help
      if (turn == Turn::Worked && ++in_a_row >= (watching() ? kMostTurnsWatched : kMostTurns)) turn = Turn::Spun;
      if (turn != Turn::Finished && turn != Turn::Stuck && repeats(fruitless, in_a_row)) return report_livelock();
      switch (turn) {
      case Turn::Finished:
        current->finish();
        if (ClusterRun& own = current->cluster(); own.leave(*current)) {
          idle.push_back(&own);
          to_admit = std::max<size_t>(to_admit, 1);
        }
        current = nullptr;
        fruitless = 0;
        if (launch.livelock) launch.livelock->progress();
        break;
      case Turn::Worked: fruitless = 0; break;
      case Turn::Spun:
        ++fruitless;
        resident.push_back(current);
        current = nullptr;
        break;
      case Turn::Stuck: return current->cluster().culprit(*current).report_stuck(false, {});
      }
    }
  }

  void run() {
    sigjmp_buf here;
    leave_to = &here;
    if (sigsetjmp(here, 0) == 0) {
      if (launch.config->kernel->functions[0].has_stops || launch.cluster_size > 1)
        run_blocks();
      else
        run_straight();
    }
    leave_to = nullptr;
  }
};

void report_fault(Launch& launch, const FaultInfo& info) {
  observe::FaultEvent event;
  event.address = info.device_address;
  event.known = info.known;
  if (has_last_access) {
    event.block = last_access.block;
    event.warp = last_access.warp;
    event.site = last_access.site;
    for (unsigned i = 0; i < 32; ++i) {
      if ((last_access.mask >> i & 1) == 0) continue;
      if (!info.known || info.device_address - last_addresses[i] < last_access.bytes) event.mask |= 1u << i;
    }
    if (event.mask == 0) event.mask = last_access.mask;
    if (!info.known) event.address = last_addresses[__builtin_ctz(event.mask)];
  }
  for (observe::Observer* o : launch.config->observers) o->on_fault(event);
  if (info.known && launch.memory->lookup(info.device_address).kind == observe::AllocationInfo::Kind::LeftShared)
    return launch.end(EndReason::BlockLeft,
                      "a thread accessed the shared memory of a block of its cluster that has left the kernel",
                      event.site);
  char text[96];
  if (info.known)
    snprintf(text, sizeof text, "a thread accessed address 0x%llx, where no memory is",
             static_cast<unsigned long long>(info.device_address));
  else
    snprintf(text, sizeof text, "a thread accessed an address outside the device's memory");
  launch.end(EndReason::Fault, text, event.site);
}

} // namespace

void leave_launch() { siglongjmp(*leave_to, 1); }

void note_access(const observe::MemoryEvent& event) {
  last_access = event;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if ((event.mask >> lane & 1) != 0) last_addresses[lane] = event.address[lane];
  last_access.address = last_addresses;
  has_last_access = true;
}

void run_worker(Launch& launch, unsigned index) {
  Worker worker{launch, index, std::minstd_rand(unsigned(launch.config->seed) + 1)};
  has_last_access = false;
  FaultInfo info;
  if (!run_guarded([](void* self) { static_cast<Worker*>(self)->run(); }, &worker, info)) {
    leave_to = nullptr;
    report_fault(launch, info);
  }
}

unsigned pool_threads() { return Pool::instance().size(); }

void run_on_pool(unsigned count, const std::function<void(unsigned)>& fn, const std::function<void()>& watch) {
  Pool::instance().run(count, fn, watch);
}

} // namespace tollgate::exec
