#include "exec/block_run.h"

#include "base/each_lane.h"
#include "exec/cluster_run.h"
#include "exec/runtime_symbols.h"
#include "exec/written.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tollgate::exec {

using simd::BarrierOp;
using simd::BlockContext;
using simd::Group;
using simd::kAllLanes;
using simd::kLanes;
using simd::StopKind;
using simd::WarpContext;

namespace {

constexpr uint32_t kMaxCallDepth = 4096;
constexpr unsigned kRoundsATurn = 16; // barriers that a block passes before the livelock watch has a look

template <typename T> T* aligned_array(size_t count) {
  auto* p = static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64));
  if (!p) throw std::bad_alloc();
  return p;
}

// splitmix64; never 0
uint64_t next_random(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return (x ^ x >> 31) | 1;
}

} // namespace

BlockRun::BlockRun(Launch& launch, unsigned worker, ClusterRun& cluster, unsigned rank, uint64_t slab,
                   uint64_t first_slab)
    : launch_(launch), cluster_(cluster), kernel_(*launch.config->kernel) {
  const LaunchConfig& c = *launch.config;
  unsigned warps = launch.warps;
  contexts_ = aligned_array<WarpContext>(warps);
  frame_stride_ = (kernel_.functions[0].frame_bytes + 63) / 64 * 64;
  if (frame_stride_ != 0) {
    frames_ = aligned_array<uint8_t>(frame_stride_ * warps);
    memset(frames_, 0, frame_stride_ * warps);
  }
  if (c.local_stride != 0) local_ = launch.memory->acquire_local(kLanes * warps, c.local_stride);

  context_ = BlockContext();
  for (int i = 0; i < 3; ++i) {
    context_.nctaid[i] = c.grid[size_t(i)];
    context_.ntid[i] = c.block[size_t(i)];
    context_.cluster_nctaid[i] = c.cluster[size_t(i)];
    context_.nclusterid[i] = c.grid[size_t(i)] / c.cluster[size_t(i)];
  }
  context_.cluster_ctaid[0] = rank % c.cluster[0];
  context_.cluster_ctaid[1] = rank / c.cluster[0] % c.cluster[1];
  context_.cluster_ctaid[2] = rank / (c.cluster[0] * c.cluster[1]);
  context_.cluster_rank = rank;
  context_.cluster_size = launch.cluster_size;
  context_.cluster_explicit = c.explicit_cluster;
  context_.cluster_shared = first_slab;
  context_.dynamic_shared = c.dynamic_shared;
  context_.total_shared = uint32_t(kernel_.device_shared_bytes + c.dynamic_shared);
  context_.shared_device = slab;
  context_.shared_host = static_cast<uint8_t*>(backing(slab));
  context_.param_device = launch.param_device;
  context_.param_host = static_cast<const uint8_t*>(backing(launch.param_device));
  context_.symbols = c.symbols.data();
  context_.stop = &launch.control.stop;
  context_.grid_id = c.grid_id;
  context_.envreg12 = launch.grid_workspace;
  context_.smid = worker % c.multiprocessors;
  context_.nsmid = c.multiprocessors;
  context_.nwarps = warps;
  context_.exec = this;
  context_.generation = reinterpret_cast<const uint64_t*>(&launch.memory->generation());

  warps_.resize(warps);
  for (unsigned i = 0; i < warps; ++i) {
    WarpContext* w = new (&contexts_[i]) WarpContext();
    memset(w->call_args, 0, sizeof w->call_args);
    warps_[i].context = w;
    w->warp = i;
    w->block = &context_;
    w->frame = frames_ + i * frame_stride_;
    w->local_stride = c.local_stride;
    w->local_base = local_ + uint64_t(i) * kLanes * c.local_stride;
    memset(w->local_offset, 0, sizeof w->local_offset);
    memset(w->barrier_result, 0, sizeof w->barrier_result);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t t = i * kLanes + lane;
      w->tid_x[lane] = t % c.block[0];
      w->tid_y[lane] = t / c.block[0] % c.block[1];
      w->tid_z[lane] = t / (c.block[0] * c.block[1]);
      if (t < launch.threads) w->present |= 1u << lane;
    }
    w->tid_linear = w->present == kAllLanes && w->tid_x[31] == w->tid_x[0] + 31;
  }
  for (Barrier& b : barriers_) b.arrived.assign(warps, 0);
  order_.resize(warps);
  for (unsigned i = 0; i < warps; ++i) order_[i] = i;
}

BlockRun::~BlockRun() {
  if (local_ != 0) launch_.memory->release_local(local_);
  std::free(contexts_);
  std::free(frames_);
}

void BlockRun::set_block(uint64_t linear) {
  const auto& grid = launch_.config->grid;
  context_.linear = linear;
  context_.ctaid[0] = uint32_t(linear % grid[0]);
  context_.ctaid[1] = uint32_t(linear / grid[0] % grid[1]);
  context_.ctaid[2] = uint32_t(linear / (uint64_t(grid[0]) * grid[1]));
  if (observed(observe::UndefinedEvents)) forget_written_memory();
  for (int i = 0; i < 3; ++i)
    context_.clusterid[i] =
        launch_.cluster_size == 1 ? context_.ctaid[i] : context_.ctaid[i] / context_.cluster_nctaid[i];
  for (observe::Observer* o : launch_.listeners.blocks) o->on_block_begin(ref());
  launch_.listeners.wake();
  set_quiet();
}

void BlockRun::set_quiet() {
  const bool watched = launch_.livelock && launch_.livelock->active();
  context_.quiet = launch_.listeners.memory.empty() && !watched ? 1 : 0;
  observe::Observer* only = launch_.only_observer();
  observe::Shortcuts* own = only != nullptr ? only->shortcuts(context_.linear) : nullptr;
  context_.shortcuts = own != nullptr ? own : observe::no_shortcuts();
}

// A block begins with nothing written in its shared and local memory.
void BlockRun::forget_written_memory() {
  const uint64_t slab = context_.shared_device;
  clear_written(slab, kernel_.static_shared_bytes + launch_.config->dynamic_shared);
  for (const lower::SharedVariable& v : kernel_.shared)
    if (v.reserved) note_written(slab + v.offset, v.size); // the system's own
  const uint64_t stride = launch_.config->local_stride, frame = kernel_.functions[0].local_bytes;
  const uint64_t lanes = uint64_t{kLanes} * launch_.warps;
  if (frame == 0) return;
  if (stride < 2 * frame) return clear_written(local_, stride * lanes);
  for (uint64_t lane = 0; lane < lanes; ++lane) clear_written(local_ + lane * stride, frame);
}

void BlockRun::run_straight(uint64_t linear) {
  set_block(linear);
  jit::StepFunction step = kernel_.functions[0].step.get();
  for (Warp& warp : warps_) {
    WarpContext* w = warp.context;
    w->exited = ~w->present;
    w->fell_off = 0;
    step(w, 0, w->present, 0);
  }
  finish();
}

void BlockRun::start(uint64_t linear) {
  set_block(linear);
  live_threads_ = launch_.threads;
  uint64_t seed = launch_.config->seed;
  random_ = seed == 0 ? 0 : next_random(seed * 0x9e3779b97f4a7c15ull + linear);
  together_ = random_ == 0;
  open_barriers_ = 0;
  for (Barrier& b : barriers_) {
    if (!b.open) continue;
    std::fill(b.arrived.begin(), b.arrived.end(), 0);
    b.open = false;
    b.arrivals.clear();
  }
  for (Warp& warp : warps_) {
    WarpContext* w = warp.context;
    w->exited = ~w->present;
    w->fell_off = 0;
    w->group_count = 1;
    w->groups[0] = Group();
    w->groups[0].mask = w->present;
    w->frame = frames_ + w->warp * frame_stride_;
    warp.arrived_exits = w->exited;
    warp.cluster_arrived = warp.cluster_due = 0;
    if (warp.calls)
      for (auto& stack : warp.calls->lane) stack.clear();
  }
}

void BlockRun::finish() {
  for (observe::Observer* o : launch_.listeners.blocks) o->on_block_end(ref());
  launch_.listeners.wake();
}

// --- one turn: every warp runs until its lanes stop, once ---------------------------------------------------------

// The Group of a step that stopped as a whole.
void BlockRun::leave_group(WarpContext& w, uint32_t label, uint32_t mask) {
  Group& g = w.groups[w.group_count++] = Group();
  g.label = label & ~simd::kGaveWay;
  g.mask = mask;
  if (label & simd::kGaveWay) return;
  g.kind = StopKind::Barrier;
  for (const simd::WholeStop& stop : kernel_.functions[0].whole_stops)
    if (stop.label == label) {
      g.site = stop.site;
      g.c = stop.op;
    }
}

// The usual life of a block: its warps come to the same barrier, each as a whole, one after the other, and in the end
// all leave. No barrier needs to be kept then. At the first warp that does anything else the general way takes over;
// the warps before it have arrived. Returns true when every thread has left.
bool BlockRun::run_together() {
  const jit::StepFunction step = kernel_.functions[0].step.get();
  const unsigned n = launch_.warps;
  const bool told = !launch_.listeners.barriers.empty();
  unsigned rounds = 0;
  // Warps from `from` on are runnable at their label.
  auto part = [&](unsigned from) {
    for (unsigned k = from; k < n; ++k) {
      contexts_[k].group_count = 1;
      contexts_[k].groups[0].label &= ~simd::kGaveWay;
    }
  };
  while (true) {
    uint32_t first = 0;
    unsigned i = 0;
    for (; i < n; ++i) {
      contexts_[i].group_count = 0;
      const bool is_first = i == 0;
      const Group& begin = contexts_[i].groups[0];
      const auto [label, ran] = step(&contexts_[i], begin.label & ~simd::kGaveWay, begin.mask, n - 1 - i);
      i += ran;
      WarpContext& w = contexts_[i];
      if (is_first) first = ran == 0 ? label : contexts_[0].groups[0].label;
      // Leaving, all of them, or waiting, all of them, not necessarily at the same barrier unless observers are told;
      // or giving way, all of them.
      const bool apart = told || ((label ^ first) & simd::kGaveWay) != 0;
      if (label == 0 ? first != 0 || w.group_count != 0 : apart ? label != first : first == 0) {
        if (label != 0) leave_group(w, label, w.groups[0].mask);
        break;
      }
      w.groups[0].label = label;
    }
    if (i == n) {
      if (first == 0) {
        live_threads_ = 0;
        return true;
      }
      if (told && !(first & simd::kGaveWay)) note_block_barrier(first);
      // A loop around a barrier may never end.
      if (launch_.ending() || (launch_.livelock && ++rounds == kRoundsATurn)) {
        part(0);
        return false;
      }
      continue;
    }
    together_ = false;
    progressed_ = true;
    for (unsigned k = 0; k < i; ++k) {
      WarpContext& w = contexts_[k];
      const Group g = w.groups[0];
      w.group_count = 0;
      if (first != 0) leave_group(w, g.label, g.mask);
    }
    for (unsigned k = 0; k <= i; ++k) {
      for (uint32_t g = 0; g < contexts_[k].group_count; ++g) {
        contexts_[k].groups[g].depth = 0;
        contexts_[k].groups[g].function = 0;
      }
      sort_out(k, 0);
    }
    part(i + 1);
    return false;
  }
}

void BlockRun::note_block_barrier(uint32_t label) {
  observe::BlockBarrier event{ref(), 0};
  for (const simd::WholeStop& stop : kernel_.functions[0].whole_stops)
    if (stop.label == label) event.site = stop.site;
  for (observe::Observer* o : launch_.listeners.barriers) o->on_block_barrier(event);
}

// Another order of the warps for each turn of a seeded schedule.
void BlockRun::shuffle_order() {
  for (unsigned i = unsigned(order_.size()); i > 1; --i) {
    random_ = next_random(random_);
    std::swap(order_[i - 1], order_[random_ % i]);
  }
}

bool BlockRun::is_together() const {
  if (open_barriers_ != 0) return false;
  for (unsigned i = 0; i < launch_.warps; ++i) {
    const WarpContext& w = contexts_[i];
    if (w.group_count != 1 || w.groups[0].kind != StopKind::Ready || w.groups[0].depth != 0) return false;
  }
  return true;
}

Turn BlockRun::turn() {
  progressed_ = false;
  set_quiet();
  if (together_) {
    if (run_together()) return Turn::Finished;
    if (launch_.ending() || together_) return Turn::Worked;
  }
  bool ran = false;
  if (random_ != 0 && !(launch_.livelock && launch_.livelock->active())) shuffle_order();
  for (unsigned i : order_) {
    bool worked = false;
    ran |= run_warp(i, worked);
    progressed_ |= worked;
    if (launch_.ending()) return Turn::Worked;
  }
  if (live_threads_ == 0) return Turn::Finished;
  if (progressed_) {
    together_ = random_ == 0 && is_together();
    return Turn::Worked;
  }
  if (ran) return Turn::Spun;
  // A barrier may have been completed by a warp that ran after the ones it released.
  return can_run() ? Turn::Worked : Turn::Stuck;
}

bool BlockRun::can_run() const {
  for (const Warp& warp : warps_)
    for (unsigned g = 0; g < warp.context->group_count; ++g)
      if (warp.context->groups[g].runnable()) return true;
  return false;
}

bool BlockRun::waits_within() const {
  for (const Warp& warp : warps_)
    for (unsigned g = 0; g < warp.context->group_count; ++g)
      if (const Group& group = warp.context->groups[g]; !group.runnable() && group.a != simd::kClusterBarrier)
        return true;
  return false;
}

// The next group to run: deepest call first, then the lowest block; groups that gave way (b != 0) wait for the
// next turn.
int BlockRun::pick(const WarpContext& w) const {
  int best = -1;
  for (unsigned i = 0; i < w.group_count; ++i) {
    const Group& g = w.groups[i];
    if (!g.runnable() || g.b != 0) continue;
    if (best < 0 || g.depth > w.groups[best].depth ||
        (g.depth == w.groups[best].depth && g.label < w.groups[best].label))
      best = int(i);
  }
  return best;
}

bool BlockRun::run_warp(unsigned index, bool& worked) {
  WarpContext& w = *warps_[index].context;
  for (unsigned i = 0; i < w.group_count; ++i)
    if (w.groups[i].runnable()) w.groups[i].b = 0;
  bool ran = false;
  for (int g = pick(w); g >= 0; g = pick(w)) {
    Group group = w.groups[g];
    w.groups[g] = w.groups[--w.group_count];
    ran = true;
    step(index, group);
    // Only spinning lanes came back: nothing got done that others could see, as far as we know.
    bool only_spun = true;
    uint32_t seen = 0;
    for (unsigned i = 0; i < w.group_count; ++i)
      if (w.groups[i].kind == StopKind::Spin && (w.groups[i].mask & group.mask) != 0) seen |= w.groups[i].mask;
    only_spun = (group.mask & ~seen) == 0;
    worked |= !only_spun || group.kind != StopKind::Spin;
    if (launch_.ending()) break;
  }
  return ran;
}

void BlockRun::step(unsigned index, Group group) {
  Warp& warp = warps_[index];
  WarpContext& w = *warp.context;
  if (group.depth != 0 || warp.calls) set_local_offsets(warp, group);
  uint32_t before = w.group_count;
  const uint32_t whole = kernel_.functions[group.function].step.get()(&w, group.label, group.mask, 0).label;
  if (whole != 0) leave_group(w, whole, group.mask);
  for (uint32_t i = before; i < w.group_count; ++i) {
    w.groups[i].depth = group.depth;
    w.groups[i].function = group.function;
  }
  sort_out(index, before);
}

// Puts the groups that a step left behind where they belong.
void BlockRun::sort_out(unsigned index, uint32_t first_new) {
  WarpContext& w = *warps_[index].context;
  // Taken out first: exits, arrivals and releases below may move groups about.
  Group fresh[kLanes];
  uint32_t count = w.group_count - first_new;
  std::copy(w.groups + first_new, w.groups + w.group_count, fresh);
  w.group_count = first_new;
  note_exits(index);
  bool warp_sync = false;
  for (uint32_t i = 0; i < count; ++i) {
    Group& g = fresh[i];
    switch (g.kind) {
    case StopKind::Ready:
    case StopKind::Spin:
      g.b = 1; // not again in this turn
      add_ready(w, g);
      break;
    case StopKind::Barrier: arrive(index, g); break;
    case StopKind::WarpSync:
      w.groups[w.group_count++] = g;
      warp_sync = true;
      break;
    case StopKind::Call: enter_call(index, g); break;
    case StopKind::Return: leave_call(index, g); break;
    }
  }
  if (warp_sync) check_warp_sync(index);
}

// Lanes at the same place go on together.
void BlockRun::add_ready(WarpContext& w, Group group) {
  for (unsigned i = 0; i < w.group_count; ++i) {
    Group& g = w.groups[i];
    if (!g.runnable() || g.label != group.label || g.depth != group.depth || g.function != group.function) continue;
    g.mask |= group.mask;
    g.b |= group.b;
    if (group.kind == StopKind::Ready) g.kind = StopKind::Ready;
    return;
  }
  w.groups[w.group_count++] = group;
}

void BlockRun::note_exits(unsigned index) {
  Warp& warp = warps_[index];
  WarpContext& w = *warp.context;
  uint32_t gone = w.exited & ~warp.arrived_exits;
  if (gone == 0) return;
  warp.arrived_exits = w.exited;
  live_threads_ -= unsigned(std::popcount(gone));
  progressed_ = true;
  if (open_barriers_ != 0) check_all_barriers();
  check_warp_sync(index);
  cluster_.check_barrier();
}

// --- calls that are not inlined: each lane has its own stack; frames are shared by depth and function ----------------

uint8_t* BlockRun::frame_for(Warp& warp, uint32_t depth, uint32_t function) {
  if (depth == 0) return frames_ + warp.context->warp * frame_stride_;
  auto& frame = warp.calls->frames[{depth, function}];
  if (!frame) {
    size_t bytes = (kernel_.functions[function].frame_bytes + 127) / 64 * 64;
    frame = std::make_unique<uint8_t[]>(bytes + 64);
  }
  return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(frame.get()) + 63) / 64 * 64);
}

observe::ThreadIndex thread_of(const simd::WarpContext& warp, uint32_t lanes) {
  const unsigned i = unsigned(std::countr_zero(lanes));
  const uint32_t* block = warp.block->ctaid;
  return {{block[0], block[1], block[2]}, {warp.tid_x[i], warp.tid_y[i], warp.tid_z[i]}};
}

void BlockRun::set_local_offsets(Warp& warp, const Group& group) {
  WarpContext& w = *warp.context;
  w.frame = frame_for(warp, group.depth, group.function);
  if (!warp.calls) return;
  for (uint32_t left = group.mask; left != 0; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    auto& stack = warp.calls->lane[lane];
    w.local_offset[lane] = stack.empty() ? 0 : stack.back().local_offset;
  }
}

void BlockRun::enter_call(unsigned index, Group group) {
  Warp& warp = warps_[index];
  WarpContext& w = *warp.context;
  if (!warp.calls) warp.calls = std::make_unique<CallStacks>();
  if (group.depth + 1 >= kMaxCallDepth) {
    launch_.end(EndReason::StackOverflow, "the call stack of a thread is more than 4,096 calls deep", group.site,
                thread_of(w, group.mask));
    return;
  }
  // An indirect call parts by target.
  uint32_t left = group.mask;
  while (left != 0) {
    uint32_t callee = group.a, lanes = left;
    if (callee == ~0u) {
      uint64_t target = w.call_targets[std::countr_zero(left)];
      lanes = 0;
      for (uint32_t l = left; l != 0; l &= l - 1)
        if (w.call_targets[std::countr_zero(l)] == target) lanes |= 1u << std::countr_zero(l);
      uint64_t ptx_index = (target - lower::kFunctionAddressBase) / 16;
      callee = ~0u;
      for (uint32_t f = 1; f < kernel_.ptx_function.size(); ++f)
        if (kernel_.ptx_function[f] == ptx_index && lower::function_address(uint32_t(ptx_index)) == target) callee = f;
      if (callee == ~0u) {
        const observe::FaultEvent event{.block = ref(),
                                        .warp = w.warp,
                                        .mask = lanes,
                                        .site = group.site,
                                        .address = target,
                                        .known = true,
                                        .is_call = true};
        for (observe::Observer* o : launch_.config->observers) o->on_fault(event);
        launch_.end(EndReason::Fault, "a thread calls through a pointer that is no device function", group.site);
        return;
      }
    }
    left &= ~lanes;
    const jit::CompiledFunction& caller = kernel_.functions[group.function];
    for (uint32_t l = lanes; l != 0; l &= l - 1) {
      auto& stack = warp.calls->lane[std::countr_zero(l)];
      uint32_t at = stack.empty() ? 0 : stack.back().local_offset;
      uint32_t next = uint32_t((at + caller.local_bytes + 15) / 16 * 16);
      if (next + kernel_.functions[callee].local_bytes > launch_.config->local_stride) {
        launch_.end(EndReason::StackOverflow, "the local memory of a thread (its call stack) is exhausted", group.site,
                    thread_of(w, lanes));
        return;
      }
      stack.push_back({group.function, group.label, next});
      if (observed(observe::UndefinedEvents))
        clear_written(w.local_base + uint64_t(std::countr_zero(l)) * w.local_stride + next,
                      kernel_.functions[callee].local_bytes);
    }
    Group go;
    go.mask = lanes;
    go.depth = group.depth + 1;
    go.function = callee;
    add_ready(w, go);
  }
}

void BlockRun::leave_call(unsigned index, Group group) {
  Warp& warp = warps_[index];
  for (uint32_t l = group.mask; l != 0; l &= l - 1) {
    unsigned lane = unsigned(std::countr_zero(l));
    CallRecord record = warp.calls->lane[lane].back();
    warp.calls->lane[lane].pop_back();
    Group go;
    go.mask = 1u << lane;
    go.depth = group.depth - 1;
    go.function = record.function;
    go.label = record.label;
    add_ready(*warp.context, go);
  }
}

uint64_t BlockRun::digest() const {
  uint64_t d = mix(mix(kDigestSeed, context_.linear), live_threads_);
  for (const Warp& warp : warps_) {
    const WarpContext& w = *warp.context;
    d = mix(mix(d, w.exited), w.group_count);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < w.group_count; ++i) {
      d = mix_bytes(d, &w.groups[i], sizeof(Group));
      depth = std::max(depth, w.groups[i].depth);
    }
    d = mix_bytes(d, w.barrier_result, sizeof w.barrier_result);
    d = mix_bytes(d, frames_ + w.warp * frame_stride_, kernel_.functions[0].frame_bytes);
    uint64_t local = kernel_.functions[0].local_bytes;
    if (warp.calls) {
      for (const auto& [key, frame] : warp.calls->frames)
        d = mix_bytes(d, frame.get(), kernel_.functions[key.second].frame_bytes);
      for (const auto& stack : warp.calls->lane)
        for (const CallRecord& record : stack) {
          d = mix_bytes(d, &record, sizeof record);
          local = std::max<uint64_t>(local, record.local_offset);
        }
      for (const auto& f : kernel_.functions) local += f.local_bytes; // at least that of the running one
      d = mix_bytes(d, w.call_args, sizeof w.call_args);
    }
    local = std::min(local, w.local_stride);
    for (unsigned lane = 0; local != 0 && lane < kLanes; ++lane)
      d = mix_bytes(d, backing(w.local_base + lane * w.local_stride), local);
  }
  return d;
}

void BlockRun::describe_stuck(observe::StuckBlock& out) const {
  out.block = ref();
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const WarpContext& w = *warps_[i].context;
    out.exited.push_back(w.exited & w.present);
    for (unsigned k = 0; k < w.group_count; ++k) {
      const Group& g = w.groups[k];
      observe::WaitingLanes waiting{i, g.mask, observe::WaitKind::Spin, 0, 0, 0, g.site};
      if (g.kind == StopKind::Barrier && g.a == simd::kClusterBarrier) {
        waiting.kind = observe::WaitKind::ClusterBarrier;
      } else if (g.kind == StopKind::Barrier) {
        waiting.kind = observe::WaitKind::Barrier;
        waiting.barrier = slot_of(g.a);
        waiting.count = g.b;
      } else if (g.kind == StopKind::WarpSync) {
        waiting.kind = observe::WaitKind::WarpBarrier;
        waiting.wanted = g.a;
      } else if (launch_.livelock) {
        const LivelockWatch::Polled polled = launch_.livelock->polled(context_.linear, i, g.mask);
        waiting.site = polled.site;
        waiting.polled = polled.address;
        if (polled.mbarrier) waiting.kind = observe::WaitKind::Mbarrier;
      }
      out.waiting.push_back(waiting);
    }
  }
}

// In a livelock all resident blocks go round; else it is the cluster's.
void BlockRun::report_stuck(bool livelock, std::span<BlockRun* const> others) {
  observe::StuckEvent event;
  describe_stuck(event);
  event.livelock = livelock;
  event.not_started = launch_.blocks - std::min(launch_.blocks, launch_.next_block.load());
  for (const BlockRun* other : others) other->describe_stuck(event.others.emplace_back());
  for (unsigned rank = 0; !livelock && rank < cluster_.size(); ++rank)
    if (const BlockRun& other = cluster_.block(rank); &other != this) other.describe_stuck(event.others.emplace_back());
  observe::SiteId site = 0;
  for (const observe::WaitingLanes& waiting : event.waiting)
    if (site == 0) site = waiting.site;
  for (observe::Observer* o : launch_.config->observers) o->on_stuck(event);
  launch_.end(EndReason::Stuck,
              "no thread of block (" + std::to_string(context_.ctaid[0]) + "," + std::to_string(context_.ctaid[1]) +
                  "," + std::to_string(context_.ctaid[2]) + ") can go on: on a GPU this kernel hangs",
              site);
}

// --- called by generated code

struct StopHelpers {
  static Group& append(WarpContext* w, uint32_t mask, uint32_t label, StopKind kind, uint32_t site) {
    Group& g = w->groups[w->group_count++];
    g.mask = mask;
    g.label = label;
    g.kind = kind;
    g.site = site;
    g.b = 0;
    return g;
  }

  static void stop(WarpContext* w, uint32_t mask, uint32_t label, uint32_t kind, uint32_t a, uint32_t b, uint32_t c,
                   uint32_t site, uint32_t predicate) {
    Group& g = append(w, mask, label, StopKind(kind), site);
    g.a = a;
    g.b = b;
    g.c = c;
    g.predicate = predicate;
  }

  // Barrier number or count differ from lane to lane.
  static void barrier_lanes(WarpContext* w, uint32_t mask, uint32_t label, const uint32_t* id, const uint32_t* count,
                            uint32_t op, uint32_t site, uint32_t predicate) {
    each_set(mask, id, [&](uint32_t of_barrier, uint32_t barrier) {
      each_set(of_barrier, count, [&](uint32_t set, uint32_t threads) {
        stop(w, set, label, uint32_t(StopKind::Barrier), barrier, threads, op, site, predicate & set);
      });
    });
  }

  // Of the lanes of `mask`, which are together, those that have to wait: for lanes that are not `here`, or that are
  // here under another mask and mean another meeting (PTX ISA, bar.warp.sync: all with the same membermask).
  static uint32_t warp_sync_incomplete(uint32_t mask, uint32_t here, const uint32_t* wanted) {
    uint32_t incomplete = 0;
    each_set(mask, wanted, [&](uint32_t set, uint32_t members) {
      if (((members & ~here) | (members & mask & ~set)) != 0) incomplete |= set;
    });
    return incomplete;
  }

  static void warp_sync_lanes(WarpContext* w, uint32_t mask, uint32_t label, const uint32_t* wanted, uint32_t site,
                              uint32_t orders_memory) {
    each_set(mask, wanted, [&](uint32_t set, uint32_t members) {
      Group& g = append(w, set, label, StopKind::WarpSync, site);
      g.a = members;
      g.c = orders_memory;
    });
  }

  static void exit(WarpContext* w, uint32_t mask, uint32_t site) {
    w->exited |= mask;
    auto* run = static_cast<BlockRun*>(w->block->exec);
    observe::ExitEvent event{run->ref(), w->warp, mask, w->fell_off & mask, site};
    for (observe::Observer* o : run->launch_.listeners.barriers) o->on_exit(event);
  }
};

void add_stop_symbols(Symbols& out) {
  add_symbol(out, "tgh_stop", &StopHelpers::stop);
  add_symbol(out, "tgh_stop_barrier_lanes", &StopHelpers::barrier_lanes);
  add_symbol(out, "tgh_stop_warp_sync_lanes", &StopHelpers::warp_sync_lanes);
  add_symbol(out, "tgh_warp_sync_incomplete", &StopHelpers::warp_sync_incomplete);
  add_symbol(out, "tgh_exit", &StopHelpers::exit);
}

} // namespace tollgate::exec
