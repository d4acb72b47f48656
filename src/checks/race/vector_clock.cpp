#include "checks/race/vector_clock.h"

#include <algorithm>
#include <bit>

namespace tollgate::checks::race {

// --- one block ------------------------------------------------------------------------------------------------------

bool BlockView::covers(uint32_t warp, uint32_t lane, Time time) const {
  if (time <= all_) return true;
  for (const Warp& w : warps_)
    if (w.warp == warp) return time <= w.lanes[lane];
  return false;
}

Cover BlockView::cover(uint32_t warp, Time time) const {
  if (time <= all_) return Cover::All;
  for (const Warp& w : warps_) {
    if (w.warp != warp) continue;
    const auto [least, most] = std::ranges::minmax(w.lanes);
    return time <= least ? Cover::All : time <= most ? Cover::Some : Cover::None;
  }
  return Cover::None;
}

bool BlockView::includes(const BlockView& other) const {
  if (other.all_ > all_) return false;
  for (const Warp& theirs : other.warps_) {
    const auto ours = std::ranges::find(warps_, theirs.warp, &Warp::warp);
    for (unsigned lane = 0; lane < observe::warp_size; ++lane)
      if (theirs.lanes[lane] > all_ && (ours == warps_.end() || theirs.lanes[lane] > ours->lanes[lane])) return false;
  }
  return true;
}

BlockView::Warp& BlockView::of(uint32_t warp) {
  const auto at = std::ranges::lower_bound(warps_, warp, {}, &Warp::warp);
  if (at != warps_.end() && at->warp == warp) return *at;
  return *warps_.insert(at, Warp{warp, {}});
}

void BlockView::join(const BlockView& other) {
  all_ = std::max(all_, other.all_);
  for (const Warp& theirs : other.warps_) {
    if (std::ranges::all_of(theirs.lanes, [&](Time t) { return t <= all_; })) continue;
    Warp& ours = of(theirs.warp);
    for (unsigned lane = 0; lane < observe::warp_size; ++lane)
      ours.lanes[lane] = std::max(ours.lanes[lane], theirs.lanes[lane]);
  }
}

void BlockView::learn(uint32_t warp, LaneMask lanes, Time time) {
  if (time <= all_) return;
  Warp& w = of(warp);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    Time& known = w.lanes[std::countr_zero(rest)];
    known = std::max(known, time);
  }
}

// --- all blocks -----------------------------------------------------------------------------------------------------

namespace {
constexpr unsigned bits_per_level = 4, children_per_node = 1u << bits_per_level;
} // namespace

struct BlockTree::Node {
  std::vector<NodeRef> children; // empty: a leaf
  BlockView view;
};

const BlockView* BlockTree::find(uint64_t block) const {
  if (height_ < 16 && block >> (bits_per_level * height_) != 0) return nullptr;
  const Node* node = root_.get();
  for (unsigned level = height_; node != nullptr && level-- > 0;)
    node = node->children[block >> (bits_per_level * level) & (children_per_node - 1)].get();
  return node == nullptr ? nullptr : &node->view;
}

BlockTree::NodeRef BlockTree::lift(NodeRef node, unsigned from, unsigned to) {
  for (; from < to && node; ++from) {
    Node parent{std::vector<NodeRef>(children_per_node), BlockView{}};
    parent.children[0] = std::move(node);
    node = std::make_shared<const Node>(std::move(parent));
  }
  return node;
}

BlockTree::NodeRef BlockTree::join(const NodeRef& a, const NodeRef& b, unsigned height) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (height == 0) {
    if (a->view.includes(b->view)) return a;
    if (b->view.includes(a->view)) return b;
    Node leaf{{}, a->view};
    leaf.view.join(b->view);
    return std::make_shared<const Node>(std::move(leaf));
  }
  Node node{std::vector<NodeRef>(children_per_node), BlockView{}};
  bool as_a = true, as_b = true;
  for (unsigned i = 0; i < children_per_node; ++i) {
    node.children[i] = join(a->children[i], b->children[i], height - 1);
    as_a = as_a && node.children[i] == a->children[i];
    as_b = as_b && node.children[i] == b->children[i];
  }
  return as_a ? a : as_b ? b : std::make_shared<const Node>(std::move(node));
}

BlockTree BlockTree::join(const BlockTree& other) const {
  if (!other.root_ || *this == other) return *this;
  if (!root_) return other;
  BlockTree out;
  out.height_ = std::max(height_, other.height_);
  out.root_ = join(lift(root_, height_, out.height_), lift(other.root_, other.height_, out.height_), out.height_);
  if (out.height_ == height_ && out.root_ == root_) return *this;
  return out;
}

BlockTree BlockTree::with(uint64_t block, const BlockView& view) const {
  BlockTree single;
  while (block >> (bits_per_level * single.height_) != 0 && single.height_ < 15) ++single.height_;
  single.root_ = std::make_shared<const Node>(Node{{}, view});
  for (unsigned level = 0; level < single.height_; ++level) {
    Node parent{std::vector<NodeRef>(children_per_node), BlockView{}};
    parent.children[block >> (bits_per_level * level) & (children_per_node - 1)] = std::move(single.root_);
    single.root_ = std::make_shared<const Node>(std::move(parent));
  }
  return join(single);
}

// --- clocks ---------------------------------------------------------------------------------------------------------

bool VectorClock::covers(const Epoch& epoch) const {
  if (epoch.block == home_) return view_.covers(epoch.warp, epoch.lane, epoch.time);
  const BlockView* view = others_.find(epoch.block);
  return view != nullptr && view->covers(epoch.warp, epoch.lane, epoch.time);
}

Cover VectorClock::cover(const Epoch& epoch) const {
  const BlockView* view = epoch.block == home_ ? &view_ : others_.find(epoch.block);
  return view == nullptr ? Cover::None : view->cover(epoch.warp, epoch.time);
}

ClockRef VectorClock::join(const ClockRef& clock, const ClockRef& other, uint64_t home) {
  if (!other || clock == other) return clock;
  if (!clock && other->home_ == home) return other;
  // A synchronisation object holds the clock of whichever block came last.
  const bool foreign = clock != nullptr && clock->home_ != home;
  BlockView view;
  BlockTree before;
  if (clock) {
    view = clock->view_;
    before = clock->others_;
  }
  if (foreign) {
    const BlockView* known = clock->others_.find(home);
    view = known ? *known : BlockView{};
    before = before.with(clock->home_, clock->view_);
  }
  bool news = clock == nullptr || foreign;
  auto learn = [&](const BlockView* theirs) {
    if (theirs == nullptr || view.includes(*theirs)) return;
    view.join(*theirs);
    news = true;
  };
  BlockTree others = before.join(other->others_);
  if (other->home_ == home) {
    learn(&other->view_);
  } else {
    learn(other->others_.find(home)); // what went out from here and came back
    others = others.with(other->home_, other->view_);
  }
  if (!news && others == before) return clock;
  return std::make_shared<const VectorClock>(home, std::move(view), std::move(others));
}

ClockRef VectorClock::learn(const ClockRef& clock, uint64_t home, uint32_t warp, LaneMask lanes, Time time) {
  VectorClock out = clock ? *clock : VectorClock(home, BlockView{});
  out.view_.learn(warp, lanes, time);
  return std::make_shared<const VectorClock>(std::move(out));
}

} // namespace tollgate::checks::race
