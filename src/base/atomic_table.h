// Which atomic functions are one instruction of an architecture. The table is made from what the compiler emits
// (device/isa/atomics.py), beside it what was measured on an H200.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tollgate {

enum class AtomicState : char { Native = 'N', Loop = 'L', Traps = 'T', None = '-' };

struct AtomicRow {
  std::string_view function; // Add, CAS, ...: the toolkit's name without "atomic"
  std::string_view type;     // as C++ spells it
  std::string_view key;      // the same in short: u64, half2
  std::string_view space;    // shared, global
  std::string_view states;   // a letter for each architecture
  double one_address;        // billions a second on an H200, all threads at one address; 0: not measured
  double neighbours;         // each at its own, beside its neighbours'
};

[[nodiscard]] std::span<const AtomicRow> atomic_rows();
[[nodiscard]] std::span<const int> atomic_archs(); // 75, 80, ...

// For an architecture that the table does not have, the greatest below it; below all of them the first.
[[nodiscard]] AtomicState atomic_state(const AtomicRow& row, int sm);

// What the table says of an instruction of PTX such as "atom.shared.add.u64" in a space; None where the table has no
// such row.
[[nodiscard]] AtomicState atomic_state(std::string_view instruction, std::string_view space, int sm);

// For which types the function of an instruction is an instruction, by space: "atomicAdd is one instruction for int,
// unsigned in shared memory, for ... in global memory".
[[nodiscard]] std::string atomic_alternatives(std::string_view instruction, int sm);

// The table for one architecture, as `tollgate isa atom --arch` prints it.
[[nodiscard]] std::string atomic_text(int sm);

} // namespace tollgate
