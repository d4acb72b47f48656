// What the one simulated device says about itself. Limits that programs size their work by follow the real chips of
// the chosen compute capability (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
#pragma once

#include "engine/engine.h"

#include <string>

namespace tollgate::cudart {

struct DeviceModel {
  std::string name;
  int major = 8, minor = 0;
  int multiprocessors = 4;
  int max_threads = 1024;
  int threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
  int shared_per_block = 49152, shared_optin = 0, shared_per_multiprocessor = 0, reserved_shared = 1024;
  int clock_khz = 1000000, memory_clock_khz = 1000000, bus_width = 256, l2_bytes = 4 << 20;
};

const DeviceModel& device_model(); // of Engine::instance().config()

} // namespace tollgate::cudart
