// warp-mask: the lanes that make a warp operation and the masks that they give do not fit.
#pragma once

#include "checks/support.h"

namespace tollgate::checks {

class WarpMask final : public observe::Observer {
public:
  WarpMask(observe::FindingSink& sink, const observe::MemoryMap& memory, bool check)
      : Observer(sink, memory), check_(check), findings_(sink) {}

  [[nodiscard]] observe::EventSet events() const override { return check_ ? observe::SyncEvents : observe::NoEvents; }
  void on_launch(const observe::LaunchInfo& info) override { launch_.begin(info); }
  void on_launch_end() override;
  void on_warp_sync(const observe::WarpSyncEvent& event) override;
  void on_stuck(const observe::StuckEvent& event) override;

private:
  void report_outside(const observe::WarpSyncEvent& event, observe::LaneMask outside);
  void report_different(const observe::WarpSyncEvent& event, observe::LaneMask lanes);
  void report_skipped(const observe::WarpSyncEvent& event);
  void report_missing(const observe::StuckEvent& event, const observe::WaitingLanes& waiting,
                      observe::LaneMask missing);
  [[nodiscard]] std::string threads(uint32_t warp, observe::LaneMask lanes) const;
  [[nodiscard]] std::string doing(uint32_t warp, observe::LaneMask lanes, const char* verb) const;
  [[nodiscard]] observe::Side side(observe::SiteId site, const observe::BlockRef& block, uint32_t warp,
                                   observe::LaneMask lanes) const;

  bool check_;
  Launch launch_;
  RepeatingFindings findings_;
};

} // namespace tollgate::checks
