#pragma once

namespace tollgate::engine {

// Generating code touches tens of megabytes of the host's heap once, and each page of it for the first time. Large
// pages halve the time until a kernel out of the cache runs (docs/performance.md). Done once; nothing where the heap is
// not glibc's, or has no room to grow.
void prepare_host_heap();

} // namespace tollgate::engine
