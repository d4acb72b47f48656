// The few system calls behind device memory. Addresses are device addresses, sizes multiples of the page size.
#pragma once

#include <cstdint>

namespace tollgate::exec {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = 2 * 1024 * 1024;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Zero pages behind [device, device + bytes); false if the host refuses.
bool map_private(uint64_t device, uint64_t bytes);
// The same pages twice: at `device` for the host and behind it for kernels.
bool map_shared(uint64_t device, uint64_t bytes);
void unmap_private(uint64_t device, uint64_t bytes);
void unmap_shared(uint64_t device, uint64_t bytes);
// Gives the memory of whole pages inside the range back; the range stays mapped.
void discard(uint64_t device, uint64_t bytes, bool shared);

// Turns the host pages [host, host + bytes) into pages that are also mapped behind `device`, contents kept.
enum class Sharing : uint8_t { Failed, AlreadyShared, Replaced };
Sharing share_host_pages(uint64_t host, uint64_t device, uint64_t bytes);
// Undoes it: the host keeps its contents in private memory, the device side goes.
void unshare_host_pages(uint64_t host, uint64_t device, uint64_t bytes, Sharing how);

// True if something is mapped at this host address.
bool host_mapped(uint64_t host);

} // namespace tollgate::exec
