// Random statements that touch memory: the input is only read, everything written belongs to the thread alone or sees
// one commutative operation.
#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

// The address of this thread's element of array `slot` among those of `bytes` bytes an element.
std::string FunctionWriter::own_address(unsigned bytes, unsigned slot) {
  std::string at = temp("l");
  line(fmt::format("mul.wide.u32 {}, %gid, {}", at, bytes));
  line(fmt::format("add.s64 {}, {}, %out", at, at));
  std::string moved = temp("l");
  line(fmt::format("add.s64 {}, {}, {}", moved, at,
                   OutputLayout::offset(bytes, shape_.all_threads) + slot * bytes * shape_.all_threads));
  return moved;
}

void FunctionWriter::input_load(const Scope& scope) {
  static const char* const loads[] = {"u8", "s8", "u16", "s16", "b32", "b32", "f32", "b64"};
  const char* type = one_of(loads);
  unsigned bytes = type[1] == '8' ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
  std::string d = type[0] == 'f' ? data("f") : bytes == 8 ? data("l") : data("r");
  std::string at = temp("l"), g = guard();
  if (chance(60)) { // in line
    line(fmt::format("mul.wide.s32 {}, {}, {}", at, affine_value(scope), bytes));
  } else {
    std::string i = temp("r");
    line(fmt::format("and.b32 {}, {}, 1023", i, data("r")));
    line(fmt::format("mul.wide.u32 {}, {}, {}", at, i, bytes));
  }
  line(fmt::format("add.s64 {}, {}, %in", at, at));
  line(fmt::format("{}ld.global{}.{} {}, [{}+{}]", g, chance(20) ? ".nc" : "", type, d, at,
                   int(pick(9)) * int(bytes) - 4 * int(bytes)));
}

void FunctionWriter::own_global(const Scope&) {
  if (!is_kernel_) return own_local();
  static const char* const kinds[] = {"b8 r 1", "b16 h 2", "b32 r 4", "b32 r 4", "b64 l 8", "b64 l 8"};
  std::string kind = one_of(kinds);
  std::string type = kind.substr(0, kind.find(' '));
  std::string pool = kind.substr(kind.find(' ') + 1, 1);
  unsigned bytes = unsigned(kind.back() - '0');
  std::string at = own_address(bytes, unsigned(pick(OutputLayout::kSlots)));
  if (chance(65))
    line(fmt::format("{}st.global.{} [{}], {}", guard(), type, at, data(pool.c_str())));
  else
    line(fmt::format("{}ld.global.{} {}, [{}]", guard(), type, data(pool.c_str()), at));
}

void FunctionWriter::own_atomic() {
  if (!is_kernel_) return own_shared();
  static const char* const ops[] = {"add.u32", "exch.b32", "inc.u32", "dec.u32", "min.s32",
                                    "max.u32", "and.b32",  "or.b32",  "xor.b32"};
  std::string at = own_address(4, unsigned(pick(OutputLayout::kSlots)));
  if (chance(20))
    line(fmt::format("{}atom.global.cas.b32 {}, [{}], {}, {}", guard(), data("r"), at, data("r"), data("r")));
  else
    line(fmt::format("{}atom.global.{} {}, [{}], {}", guard(), one_of(ops), data("r"), at, data("r")));
}

void FunctionWriter::own_shared() {
  static const char* const kinds[] = {"b32 r 4 sh32", "b64 l 8 sh64", "u8 r 1 sh8"};
  std::string kind = one_of(kinds);
  std::string type = kind.substr(0, kind.find(' '));
  unsigned bytes = unsigned(kind[kind.find(' ') + 3] - '0');
  std::string pool(1, kind[kind.find(' ') + 1]), name = kind.substr(kind.rfind(' ') + 1);
  std::string base = temp("r"), at = temp("r");
  line(fmt::format("mov.u32 {}, {}", base, name));
  line(fmt::format("mad.lo.u32 {}, %lin, {}, {}", at, bytes, base));
  if (chance(50))
    line(fmt::format("{}st.shared.{} [{}], {}", guard(), type, at, data(pool.c_str())));
  else
    line(fmt::format("{}ld.shared.{} {}, [{}]", guard(), type, data(pool.c_str()), at));
}

void FunctionWriter::own_local() {
  std::string base = temp("l"), at = temp("l"), i = temp("r");
  line(fmt::format("mov.u64 {}, loc", base));
  bool generic = chance(30);
  if (generic) line(fmt::format("cvta.local.u64 {}, {}", base, base));
  line(fmt::format("and.b32 {}, {}, 7", i, data("r")));
  line(fmt::format("mul.wide.u32 {}, {}, 8", at, i));
  line(fmt::format("add.s64 {}, {}, {}", at, at, base));
  const char* space = generic ? "" : ".local";
  bool wide = chance(30);
  std::string d = wide ? data("l") : data("r");
  const char* type = wide ? "b64" : "b32";
  if (chance(50))
    line(fmt::format("{}st{}.{} [{}], {}", guard(), space, type, at, d));
  else
    line(fmt::format("{}ld{}.{} {}, [{}]", guard(), space, type, d, at));
}

// Word k of the sums sees one operation only, in any order the same.
void FunctionWriter::shared_sum(const Scope&) {
  static const char* const ops[] = {"add.u32", "min.u32", "max.s32", "and.b32",
                                    "or.b32",  "xor.b32", "inc.u32", "min.s32"};
  static const char* const wide[] = {"add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64"};
  unsigned k = unsigned(pick(8));
  std::string value = k == 6 ? "32767" : data("r");
  bool returns = chance(40);
  std::string sink = returns ? temp("r") + ", " : "";
  const char* opcode = returns ? "atom" : "red";
  if (chance(50) || !is_kernel_) {
    std::string base = temp("r");
    line(fmt::format("mov.u32 {}, ssum", base));
    line(fmt::format("{}{}.shared.{} {}[{}+{}], {}", guard(), opcode, ops[k], sink, base, 4 * k, value));
  } else if (chance(60)) {
    line(fmt::format("{}{}.global.{} {}[%sums+{}], {}", guard(), opcode, ops[k], sink, 4 * k, value));
  } else {
    k = unsigned(pick(6));
    line(fmt::format("{}red.global.{} [%sums+{}], {}", guard(), wide[k], 64 + 8 * k, data("l")));
  }
}

void FunctionWriter::vector_access() {
  if (!is_kernel_) return own_local();
  if (chance(50)) {
    std::string at = own_address(16, unsigned(4 + pick(2)));
    bool pair = chance(40);
    if (chance(60))
      line(fmt::format("{}st.global.{} [{}], {{{}}}", guard(), pair ? "v2.b64" : "v4.b32", at,
                       pair ? data("l") + ", " + data("l")
                            : fmt::format("{}, {}, {}, {}", data("r"), data("r"), data("r"), data("r"))));
    else
      line(fmt::format("{}ld.global.{} {{{}}}, [{}]", guard(), pair ? "v2.b64" : "v4.b32",
                       pair ? "%l0, %l1" : "%r1, %r2, %r3, %r0", at));
  } else {
    std::string at = own_address(8, unsigned(pick(OutputLayout::kSlots)));
    if (chance(60))
      line(fmt::format("{}st.global.v2.b32 [{}], {{{}, {}}}", guard(), at, data("r"), data("r")));
    else
      line(fmt::format("{}ld.global.v2.b32 {{%r4, %r5}}, [{}]", guard(), at));
  }
}

} // namespace tollgate::differential
