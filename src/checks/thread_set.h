// Names for groups of threads, as a person would say them: "threads 0-31 and 40".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tollgate::checks {

[[nodiscard]] std::string thread_name(uint32_t linear, const std::array<uint32_t, 3>& block_dim);

// `threads` are linear indices within a block, in any order. One-dimensional blocks give "thread 7", "threads 0-31 and
// 40", "threads 0, 2, 4, ..., 254"; others give "threads (0,0)-(15,1)" in linear order. Long sets are cut short with
// their size. Empty for an empty set.
[[nodiscard]] std::string thread_set(std::vector<uint32_t> threads, const std::array<uint32_t, 3>& block_dim,
                                     size_t most_ranges = 4);

} // namespace tollgate::checks
