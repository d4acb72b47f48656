// Random statements that compute values.
#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

void FunctionWriter::integer32(const Scope& scope) {
  static const char* const two[] = {"add.s32", "sub.s32", "mul.lo.s32",  "mul.hi.u32", "mul.hi.s32",
                                    "and.b32", "or.b32",  "xor.b32",     "min.s32",    "min.u32",
                                    "max.s32", "max.u32", "add.sat.s32", "sub.sat.s32"};
  static const char* const one[] = {"neg.s32", "abs.s32",  "not.b32",   "cnot.b32",  "popc.b32",
                                    "clz.b32", "brev.b32", "bfind.u32", "bfind.s32", "bfind.shiftamt.u32"};
  static const char* const three[] = {"mad.lo.s32",      "mad.hi.u32",      "sad.u32",
                                      "sad.s32",         "prmt.b32",        "shf.l.wrap.b32",
                                      "shf.r.clamp.b32", "shf.l.clamp.b32", "shf.r.wrap.b32"};
  static const char* const shifts[] = {"shl.b32", "shr.u32", "shr.s32"};
  static const char* const compares[] = {"lt", "ge", "eq", "ne", "hi", "ls"};
  std::string a = r_or_constant(scope), b = r_or_constant(scope), g = guard(), d = data("r");
  switch (pick(9)) {
  case 0: line(fmt::format("{}{} {}, {}", g, one_of(one), d, a)); break;
  case 1: line(fmt::format("{}{} {}, {}, {}, {}", g, one_of(three), d, data("r"), b, data("r"))); break;
  case 2: {
    if (chance(50))
      line(fmt::format("{}{} {}, {}, {}", g, one_of(shifts), d, a, pick(40)));
    else
      line(fmt::format("{}{} {}, {}, {}", g, one_of(shifts), d, a, data("r")));
    break;
  }
  case 3: {
    std::string n = temp("r");
    bool is_signed = chance(50);
    line(fmt::format("and.b32 {}, {}, {}", n, data("r"), is_signed ? "0x7ff" : "-1"));
    line(fmt::format("or.b32 {}, {}, 1", n, n));
    line(fmt::format("{}{}.{} {}, {}, {}", g, chance(50) ? "div" : "rem", is_signed ? "s32" : "u32", d, a, n));
    break;
  }
  case 4: {
    const char* const forms[] = {"lop3.b32 {}, {}, {}, {}, 0x96", "lop3.b32 {}, {}, {}, {}, 0xca",
                                 "slct.s32.s32 {}, {}, {}, {}"};
    line(g + fmt::format(fmt::runtime(one_of(forms)), d, data("r"), data("r"), data("r")));
    break;
  }
  case 6: { // position and length of a bit field: 0 to 255, anything else is not defined
    std::string at = temp("r"), length = temp("r");
    line(fmt::format("and.b32 {}, {}, 255", at, data("r")));
    line(fmt::format("and.b32 {}, {}, 255", length, data("r")));
    if (chance(40))
      line(fmt::format("{}bfi.b32 {}, {}, {}, {}, {}", g, d, a, data("r"), at, length));
    else
      line(fmt::format("{}bfe.{} {}, {}, {}, {}", g, chance(50) ? "u32" : "s32", d, data("r"), at, length));
    break;
  }
  case 5: {
    const char* type = chance(50) ? "s32" : "u32";
    const char* compare = compares[pick(type[0] == 's' ? 4 : 6)];
    line(fmt::format("{}set.{}.u32.{} {}, {}, {}", g, compare, type, d, a, b));
    break;
  }
  default: line(fmt::format("{}{} {}, {}, {}", g, one_of(two), d, a, b)); break;
  }
}

void FunctionWriter::integer64() {
  static const char* const two[] = {"add.s64", "sub.s64", "mul.lo.s64", "mul.hi.u64", "and.b64",
                                    "or.b64",  "xor.b64", "min.s64",    "max.u64"};
  static const char* const one[] = {"neg.s64", "not.b64", "brev.b64", "abs.s64"};
  static const char* const shifts[] = {"shl.b64", "shr.u64", "shr.s64"};
  static const char* const wides[] = {"mul.wide.s32", "mul.wide.u32"};
  std::string g = guard(), d = data("l");
  switch (pick(7)) {
  case 0: line(fmt::format("{}{} {}, {}", g, one_of(one), d, data("l"))); break;
  case 1: line(fmt::format("{}{} {}, {}, {}", g, one_of(shifts), d, data("l"), data("r"))); break;
  case 2: line(fmt::format("{}{} {}, {}, {}", g, one_of(wides), d, data("r"), data("r"))); break;
  case 3: line(fmt::format("{}mad.wide.s32 {}, {}, {}, {}", g, d, data("r"), data("r"), data("l"))); break;
  case 4: line(fmt::format("{}mov.b64 {}, {{{}, {}}}", g, d, data("r"), data("r"))); break;
  case 5: {
    std::string n = temp("l");
    line(fmt::format("or.b64 {}, {}, 1", n, data("l")));
    line(fmt::format("{}{}.u64 {}, {}, {}", g, chance(50) ? "div" : "rem", d, data("l"), n));
    break;
  }
  default: line(fmt::format("{}{} {}, {}, {}", g, one_of(two), d, data("l"), data("l"))); break;
  }
}

void FunctionWriter::integer16() {
  static const char* const two[] = {"add.s16", "sub.u16", "mul.lo.u16", "and.b16", "xor.b16", "min.s16", "max.u16"};
  std::string g = guard();
  if (chance(25))
    line(fmt::format("{}mul.wide.s16 {}, {}, {}", g, data("r"), data("h"), data("h")));
  else if (chance(25))
    line(fmt::format("{}{} {}, {}, {}", g, chance(50) ? "shl.b16" : "shr.s16", data("h"), data("h"), pick(20)));
  else
    line(fmt::format("{}{} {}, {}, {}", g, one_of(two), data("h"), data("h"), data("h")));
}

void FunctionWriter::single_float() {
  // With .rn: without it the code generator of a GPU joins a product and a sum to one fused operation.
  static const char* const two[] = {"add.rn.f32", "sub.rn.f32", "mul.rn.f32", "min.f32", "max.f32", "div.rn.f32"};
  static const char* const one[] = {"neg.f32", "abs.f32", "sqrt.rn.f32"};
  static const char* const compares[] = {"lt", "gt", "eq", "neu", "leu", "num", "nan"};
  std::string g = guard();
  switch (pick(5)) {
  case 0: line(fmt::format("{}{} {}, {}", g, one_of(one), data("f"), data("f"))); break;
  case 1: line(fmt::format("{}fma.rn.f32 {}, {}, {}, {}", g, data("f"), data("f"), data("f"), data("f"))); break;
  case 2: line(fmt::format("{}setp.{}.f32 {}, {}, {}", g, one_of(compares), data("p"), data("f"), data("f"))); break;
  default: line(fmt::format("{}{} {}, {}, {}", g, one_of(two), data("f"), data("f"), data("f"))); break;
  }
}

void FunctionWriter::double_float() {
  static const char* const two[] = {"add.rn.f64", "sub.rn.f64", "mul.rn.f64", "min.f64", "max.f64", "div.rn.f64"};
  std::string g = guard();
  switch (pick(4)) {
  case 0: line(fmt::format("{}fma.rn.f64 {}, {}, {}, {}", g, data("d"), data("d"), data("d"), data("d"))); break;
  case 1: line(fmt::format("{}setp.lt.f64 {}, {}, {}", g, data("p"), data("d"), data("d"))); break;
  default: line(fmt::format("{}{} {}, {}, {}", g, one_of(two), data("d"), data("d"), data("d"))); break;
  }
}

void FunctionWriter::conversion() {
  std::string g = guard();
  switch (pick(13)) {
  case 0: line(fmt::format("{}cvt.s64.s32 {}, {}", g, data("l"), data("r"))); break;
  case 1: line(fmt::format("{}cvt.u64.u32 {}, {}", g, data("l"), data("r"))); break;
  case 2: line(fmt::format("{}cvt.u32.u64 {}, {}", g, data("r"), data("l"))); break;
  case 3: line(fmt::format("{}cvt.s32.s8 {}, {}", g, data("r"), data("r"))); break;
  case 4: line(fmt::format("{}cvt.u16.u32 {}, {}", g, data("h"), data("r"))); break;
  case 5: line(fmt::format("{}cvt.s32.s16 {}, {}", g, data("r"), data("h"))); break;
  case 6: line(fmt::format("{}cvt.rn.f32.s32 {}, {}", g, data("f"), data("r"))); break;
  case 7: line(fmt::format("{}cvt.rn.f32.u64 {}, {}", g, data("f"), data("l"))); break;
  case 8: line(fmt::format("{}cvt.rzi.s32.f32 {}, {}", g, data("r"), data("f"))); break;
  case 9: line(fmt::format("{}cvt.rn.f64.s64 {}, {}", g, data("d"), data("l"))); break;
  case 10: line(fmt::format("{}cvt.f64.f32 {}, {}", g, data("d"), data("f"))); break;
  case 11: line(fmt::format("{}cvt.rn.f32.f64 {}, {}", g, data("f"), data("d"))); break;
  default: line(fmt::format("{}cvt.sat.u8.s32 {}, {}", g, data("r"), data("r"))); break;
  }
}

void FunctionWriter::predicate(const Scope& scope) {
  static const char* const two[] = {"and.pred", "or.pred", "xor.pred"};
  static const char* const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::string g = guard();
  switch (pick(4)) {
  case 0: line(fmt::format("{}{} {}, {}, {}", g, one_of(two), data("p"), data("p"), data("p"))); break;
  case 1: line(fmt::format("{}not.pred {}, {}", g, data("p"), data("p"))); break;
  case 2:
    line(fmt::format("{}setp.{}.and.s32 %p0|%p1, {}, {}, !%p{}", g, one_of(compares), data("r"), data("r"),
                     2 + pick(2)));
    break;
  default: {
    std::string a = affine_value(scope), b = uniform_value(scope);
    line(fmt::format("{}setp.{}.{} {}, {}, {}", g, one_of(compares), chance(50) ? "s32" : "u32", data("p"), a, b));
  }
  }
}

void FunctionWriter::selection() {
  std::string g = guard();
  switch (pick(4)) {
  case 0: line(fmt::format("{}selp.b64 {}, {}, {}, {}", g, data("l"), data("l"), data("l"), data("p"))); break;
  case 1: line(fmt::format("{}selp.f32 {}, {}, {}, {}", g, data("f"), data("f"), data("f"), data("p"))); break;
  case 2: line(fmt::format("{}selp.u32 {}, 1, 0, {}", g, data("r"), data("p"))); break;
  default: line(fmt::format("{}selp.b32 {}, {}, {}, {}", g, data("r"), data("r"), data("r"), data("p"))); break;
  }
}

} // namespace tollgate::differential
