// The errors that the PTX ISA manual states for the instructions it calls approximate.
#pragma once

#include <cstdint>
#include <string_view>

namespace tollgate::test {

// True where `ours` is as good an answer as `golden`: the same bits, or for an approximate instruction both within the
// bound of the exact value. `inputs` are the instruction's source words.
bool within_tolerance(std::string_view instruction, const uint64_t* inputs, uint64_t ours, uint64_t golden);

} // namespace tollgate::test
