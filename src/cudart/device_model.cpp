#include "cudart/device_model.h"

namespace tollgate::cudart {
namespace {

struct Limits {
  unsigned sm;
  int threads, blocks, shared_kib;
};

constexpr Limits limits[] = {{70, 2048, 32, 96},  {75, 1024, 16, 64},   {80, 2048, 32, 164},
                             {86, 1536, 16, 100}, {87, 1536, 16, 164},  {89, 1536, 24, 100},
                             {90, 2048, 32, 228}, {100, 2048, 32, 228}, {120, 1536, 24, 100}};

DeviceModel model_for(const engine::Config& config) {
  const Limits* chosen = &limits[0];
  for (const Limits& row : limits) {
    if (row.sm <= config.sm) chosen = &row;
  }
  DeviceModel model;
  model.name = "tollgate CPU device, sm_" + std::to_string(config.sm);
  model.major = static_cast<int>(config.sm / 10);
  model.minor = static_cast<int>(config.sm % 10);
  model.multiprocessors = static_cast<int>(config.multiprocessors);
  model.threads_per_multiprocessor = chosen->threads;
  model.blocks_per_multiprocessor = chosen->blocks;
  model.shared_per_multiprocessor = chosen->shared_kib * 1024;
  model.reserved_shared = config.sm >= 80 ? 1024 : 0; // taken by the system from each block's share
  model.shared_optin = model.shared_per_multiprocessor - model.reserved_shared;
  return model;
}

} // namespace

const DeviceModel& device_model() {
  static const DeviceModel model = model_for(engine::Engine::instance().config());
  return model;
}

} // namespace tollgate::cudart
