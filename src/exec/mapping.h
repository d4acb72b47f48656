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
// Kernels may touch these pages, or fault when they do; the content stays.
void set_accessible(uint64_t device, uint64_t bytes, bool accessible);
// Gives the memory of whole pages inside the range back; the range stays mapped.
void discard(uint64_t device, uint64_t bytes, bool shared);

// Maps the host pages [host, host + bytes) behind `device` as well, contents kept: private pages are replaced by shared
// ones, pages that are shared already get a second mapping.
enum class Sharing : uint8_t { Failed, AlreadyShared, Replaced };
Sharing share_host_pages(uint64_t host, uint64_t device, uint64_t bytes);
// A second mapping of pages inside one shared mapping of the host.
bool duplicate_shared_pages(uint64_t host, uint64_t device, uint64_t bytes);
// Gives the host private pages again, with the content of those behind `device`.
void make_host_pages_private(uint64_t host, uint64_t device, uint64_t bytes);

// True if something is mapped at this host address.
bool host_mapped(uint64_t host);

} // namespace tollgate::exec
