// One PTX instruction, lowered on a builder whose registers are 64-bit slots, optimised, compiled and callable.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace tollgate::test {

class LoweredInstruction {
public:
  // "add.sat.s32 d, a, b": names are registers, in the order of their first appearance as source; `!p` negates, `d|p`
  // is a pair, {a, b} a vector, _ a sink, digits an immediate. "CC" as last name passes the carry flag in.
  explicit LoweredInstruction(std::string_view text);
  LoweredInstruction(LoweredInstruction&&) noexcept;
  ~LoweredInstruction();

  // Bits of the sources -> bits of destination 0. A destination narrower than 64 bits is zero-extended.
  uint64_t operator()(std::initializer_list<uint64_t> sources) const;
  // All destinations: d, p of a pair or further vector elements, then the carry flag.
  std::array<uint64_t, 8> all(std::initializer_list<uint64_t> sources) const;

  [[nodiscard]] const std::string& error() const { return error_; } // what LaneBuilder::fail was given
  [[nodiscard]] const std::string& ir() const { return ir_; }       // after optimisation

private:
  struct Code;
  std::unique_ptr<Code> code_;
  std::string error_, ir_;
};

} // namespace tollgate::test
