// The address of the memory operand of an x86-64 instruction. The processor does not report a non-canonical address,
// which is what a host pointer in a kernel becomes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace tollgate::exec {

// `code` points at a valid instruction. nullopt for instructions without a ModRM memory operand and for gathers.
std::optional<uint64_t> memory_operand(const uint8_t* code, const std::array<uint64_t, 16>& registers);

} // namespace tollgate::exec
