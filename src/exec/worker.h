// A worker runs blocks of one launch on its thread; a pool keeps the threads between launches.
#pragma once

#include "exec/launch.h"

#include <functional>

namespace tollgate::exec {

// Runs fn(0) .. fn(count - 1) on threads of their own and returns when all are done. While it waits it calls
// `watch` every few milliseconds. The threads have large stacks: generated code keeps many vectors on them.
void run_on_pool(unsigned count, const std::function<void(unsigned)>& fn, const std::function<void()>& watch);

// The body of one worker.
void run_worker(Launch& launch, unsigned worker);

// Abandons what this worker's thread is doing; called by helpers after Launch::end. No destructors run in between.
[[noreturn]] void leave_launch();

// The access this thread is about to make, for blaming a fault.
void note_access(const observe::MemoryEvent& event);

} // namespace tollgate::exec
