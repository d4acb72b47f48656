// Random warp operations and barriers.
#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

void FunctionWriter::shuffle(const Scope& scope) {
  std::string source = temp("r"), lane = temp("r"), bit = temp("r"), ok = temp("p"), got = temp("r"),
              in_range = temp("p");
  line(fmt::format("mov.u32 {}, %laneid", lane));
  unsigned delta = unsigned(pick(32));
  const char* mode = "idx";
  const char* clamp = "0x1f";
  switch (pick(4)) {
  case 0:
    mode = "up";
    clamp = "0";
    line(fmt::format("sub.s32 {}, {}, {}", source, lane, delta));
    break;
  case 1:
    mode = "down";
    line(fmt::format("add.s32 {}, {}, {}", source, lane, delta));
    break;
  case 2:
    mode = "bfly";
    line(fmt::format("xor.b32 {}, {}, {}", source, lane, delta));
    break;
  default: line(fmt::format("and.b32 {}, {}, 31", source, data("r"))); break;
  }
  std::string operand = std::string(mode) == "idx" ? source : std::to_string(delta);
  line(fmt::format("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {}", mode, got, in_range, data("r"), operand, clamp,
                   scope.mask));
  // A source past either end of the warp is the lane itself; one outside the mask gives nothing.
  line(fmt::format("selp.b32 {}, {}, {}, {}", source, source, lane, in_range));
  line(fmt::format("shr.u32 {}, {}, {}", bit, scope.mask, source));
  line(fmt::format("and.b32 {}, {}, 1", bit, bit));
  line(fmt::format("setp.ne.u32 {}, {}, 0", ok, bit));
  line(fmt::format("selp.b32 {}, {}, {}, {}", data("r"), got, data("r"), ok));
}

void FunctionWriter::warp_operation(const Scope& scope) {
  if (scope.mask.empty()) return integer32(scope);
  static const char* const reduce[] = {"add.u32", "min.s32", "max.u32", "and.b32",
                                       "or.b32",  "xor.b32", "max.s32", "min.u32"};
  static const char* const votes[] = {"all", "any", "uni"};
  std::string maybe_not = chance(30) ? "!" : "";
  switch (pick(7)) {
  case 0: line(fmt::format("vote.sync.ballot.b32 {}, {}{}, {}", data("r"), maybe_not, data("p"), scope.mask)); break;
  case 1:
    line(fmt::format("vote.sync.{}.pred {}, {}{}, {}", one_of(votes), data("p"), maybe_not, data("p"), scope.mask));
    break;
  case 2: line(fmt::format("redux.sync.{} {}, {}, {}", one_of(reduce), data("r"), data("r"), scope.mask)); break;
  case 3: {
    std::string v = temp("r");
    line(fmt::format("and.b32 {}, {}, 3", v, data("r")));
    line(fmt::format("match.any.sync.b32 {}, {}, {}", data("r"), v, scope.mask));
    break;
  }
  case 4:
    if (chance(50))
      line(fmt::format("match.all.sync.b64 {}|{}, {}, {}", data("r"), data("p"), data("l"), scope.mask));
    else
      line(fmt::format("bar.warp.sync {}", scope.mask));
    break;
  default: shuffle(scope);
  }
}

void FunctionWriter::barrier(const Scope&, bool aligned) {
  if (aligned)
    line(fmt::format("bar.sync {}", chance(80) ? 0 : pick(4)));
  else
    line("barrier.sync 0");
}

// Each thread writes its slot, all meet, each reads somebody's slot, all meet again. While some threads of a block are
// in one barrier function, others may be in another and write their own slots between the same two barriers, so that
// functions exchange through arrays that nothing else writes.
void FunctionWriter::exchange(const Scope& scope, bool aligned) {
  static const char* const kinds[] = {"b32 r 4 sh32", "b64 l 8 sh64", "u8 r 1 sh8"};
  std::string kind = one_of(kinds);
  std::string type = kind.substr(0, kind.find(' '));
  unsigned bytes = unsigned(kind[kind.find(' ') + 3] - '0');
  std::string pool(1, kind[kind.find(' ') + 1]), name = kind.substr(kind.rfind(' ') + 1);
  if (!is_kernel_) name.replace(0, 2, "exchange");
  std::string base = temp("r"), at = temp("r"), other = temp("r");
  line(fmt::format("mov.u32 {}, {}", base, name));
  line(fmt::format("mad.lo.u32 {}, %lin, {}, {}", at, bytes, base));
  line(fmt::format("st.shared.{} [{}], {}", type, at, data(pool.c_str())));
  if (aligned && chance(30)) {
    static const char* const ops[] = {"and", "or"};
    if (chance(50))
      line(fmt::format("bar.red.popc.u32 {}, 0, {}", data("r"), data("p")));
    else
      line(fmt::format("bar.red.{}.pred {}, 0, {}", one_of(ops), data("p"), data("p")));
  } else {
    barrier(scope, aligned);
  }
  switch (pick(3)) {
  case 0: // a neighbour
    line(fmt::format("add.u32 {}, %lin, {}", other, 1 + pick(40)));
    break;
  case 1: line(fmt::format("sub.u32 {}, {}, %lin", other, shape_.threads - 1)); break;
  default: line(fmt::format("mov.b32 {}, {}", other, data("r"))); break;
  }
  line(fmt::format("rem.u32 {}, {}, {}", other, other, shape_.threads));
  line(fmt::format("mad.lo.u32 {}, {}, {}, {}", other, other, bytes, base));
  line(fmt::format("ld.shared.{} {}, [{}]", type, data(pool.c_str()), other));
  if (aligned && chance(40)) { // what the sums hold while nobody adds to them
    std::string sums = temp("r");
    barrier(scope, false);
    line(fmt::format("mov.u32 {}, ssum", sums));
    line(fmt::format("ld.shared.u32 {}, [{}+{}]", data("r"), sums, 4 * pick(8)));
  }
  barrier(scope, false);
}

} // namespace tollgate::differential
