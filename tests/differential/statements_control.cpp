// Random control flow. Where a branch parts the lanes, a ballot before it gives both sides their masks.
#include "function_writer.h"

#include <fmt/format.h>

namespace tollgate::differential {

using Scope = FunctionWriter::Scope;

namespace {

Scope inside(const Scope& scope) {
  Scope s = scope;
  ++s.depth;
  s.uniform = false;
  s.top = false;
  s.mask.clear();
  return s;
}

} // namespace

void FunctionWriter::branch(const Scope& scope) {
  std::string p = condition(scope), other = new_label(), end = new_label();
  Scope yes = inside(scope), no = inside(scope);
  if (!scope.mask.empty() && chance(60)) {
    yes.mask = temp("r");
    no.mask = temp("r");
    line(fmt::format("vote.sync.ballot.b32 {}, {}, {}", yes.mask, p, scope.mask));
    line(fmt::format("xor.b32 {}, {}, {}", no.mask, yes.mask, scope.mask));
  }
  bool has_else = chance(60);
  line(fmt::format("@!{} bra {}", p, has_else ? other : end));
  statements(yes, 1 + unsigned(pick(4)));
  if (has_else) {
    line("bra " + end);
    label(other);
    statements(no, 1 + unsigned(pick(4)));
  }
  label(end);
}

// Both sides of a branch pass the same number of barriers.
void FunctionWriter::balanced_barriers(const Scope& scope) {
  std::string p = condition(scope), other = new_label(), end = new_label();
  Scope yes = inside(scope), no = inside(scope);
  if (!scope.mask.empty()) {
    yes.mask = temp("r");
    no.mask = temp("r");
    line(fmt::format("vote.sync.ballot.b32 {}, {}, {}", yes.mask, p, scope.mask));
    line(fmt::format("xor.b32 {}, {}, {}", no.mask, yes.mask, scope.mask));
  }
  unsigned kind = unsigned(pick(3));
  auto side = [&](const Scope& s, unsigned turns) {
    statements(s, unsigned(pick(3)));
    if (kind == 0) { // two barriers in all, with an exchange between them
      exchange(s, false);
    } else if (kind == 1 && !barrier_functions.empty()) { // each of these functions has two barriers
      call(barrier_functions[pick(barrier_functions.size())], s.mask, std::to_string(pick(3)));
    } else { // the same number, here in a loop, there in line
      std::string i = temp("r"), again = new_label(), q = temp("p");
      for (unsigned k = turns; k < 3; ++k) {
        line("barrier.sync 0");
        statements(s, 1);
      }
      if (turns > 0) {
        line(fmt::format("mov.u32 {}, 0", i));
        label(again);
        line("barrier.sync 0");
        statements(s, 1);
        line(fmt::format("add.u32 {}, {}, 1", i, i));
        line(fmt::format("add.u32 {}, {}, {}", data("r"), data("r"), i));
        line(fmt::format("setp.lt.u32 {}, {}, {}", q, i, turns));
        line(fmt::format("@{} bra {}", q, again));
      }
    }
    statements(s, unsigned(pick(3)));
  };
  line(fmt::format("@!{} bra {}", p, other));
  side(yes, unsigned(pick(4)));
  line("bra " + end);
  label(other);
  side(no, unsigned(pick(4)));
  label(end);
}

// The same number of turns for everybody.
void FunctionWriter::counted_loop(const Scope& scope) {
  if (scope.loops >= 3) return value(scope);
  std::string i = temp("r"), q = temp("p"), again = new_label(), end = new_label(), next = new_label();
  Scope body = scope;
  ++body.depth;
  ++body.loops;
  body.counters.push_back(i);
  body.break_label.clear();
  body.continue_label.clear();
  std::string limit;
  if (!is_kernel_ || chance(50)) {
    limit = std::to_string(1 + pick(4));
  } else { // uniform, but not known when compiling
    limit = temp("r");
    line(fmt::format("and.b32 {}, %n, {}", limit, 1 + pick(3)));
  }
  line(fmt::format("mov.u32 {}, 0", i));
  label(again);
  line(fmt::format("setp.ge.u32 {}, {}, {}", q, i, limit));
  line(fmt::format("@{} bra {}", q, end));
  statements(body, 2 + unsigned(pick(3)));
  label(next);
  line(fmt::format("add.u32 {}, {}, 1", i, i));
  line("bra " + again);
  label(end);
}

// Each lane goes round as often as its data say; it may leave early or skip the rest of a turn.
void FunctionWriter::lane_loop(const Scope& scope) {
  if (scope.loops >= 3) return value(scope);
  std::string i = temp("r"), limit = temp("r"), p = temp("p"), again = new_label(), end = new_label(),
              next = new_label();
  Scope body = inside(scope);
  ++body.loops;
  body.counters.push_back(i);
  bool masked = !scope.mask.empty() && chance(50);
  line(fmt::format("and.b32 {}, {}, {}", limit, data("r"), chance(70) ? 3 : 7));
  bool from_index = chance(30); // the counter grows by one from lane to lane
  line(fmt::format("mov.u32 {}, {}", i, from_index ? "%tid.x" : "0"));
  if (from_index) line(fmt::format("add.u32 {}, {}, {}", limit, limit, i));
  if (masked) {
    body.mask = temp("r");
    line(fmt::format("mov.b32 {}, {}", body.mask, scope.mask));
  } else {
    body.break_label = end;
    body.continue_label = next;
  }
  label(again);
  line(fmt::format("setp.lt.u32 {}, {}, {}", p, i, limit));
  if (masked) line(fmt::format("vote.sync.ballot.b32 {}, {}, {}", body.mask, p, body.mask));
  line(fmt::format("@!{} bra {}", p, end));
  statements(body, 1 + unsigned(pick(4)));
  if (masked && chance(40)) { // leaves from the middle: the others learn of it
    std::string q = condition(body), gone = temp("r");
    line(fmt::format("vote.sync.ballot.b32 {}, {}, {}", gone, q, body.mask));
    line(fmt::format("@{} bra {}", q, end));
    line(fmt::format("xor.b32 {}, {}, {}", body.mask, body.mask, gone));
    statements(body, 1 + unsigned(pick(2)));
  }
  label(next);
  line(fmt::format("add.u32 {}, {}, 1", i, i));
  line("bra " + again);
  label(end);
}

// A loop with two ways in.
void FunctionWriter::irreducible(const Scope& scope) {
  if (scope.loops >= 2) return value(scope);
  std::string k = temp("r"), q = temp("p"), a = new_label(), b = new_label(), end = new_label();
  Scope body = inside(scope);
  ++body.loops;
  body.break_label = end;
  body.continue_label.clear();
  line(fmt::format("mov.u32 {}, 0", k));
  std::string first = condition(scope);
  line(fmt::format("@{} bra {}", first, b));
  label(a);
  statements(body, 1 + unsigned(pick(3)));
  label(b);
  statements(body, 1 + unsigned(pick(3)));
  line(fmt::format("add.u32 {}, {}, 1", k, k));
  line(fmt::format("setp.ge.u32 {}, {}, {}", q, k, 2 + pick(3)));
  line(fmt::format("@{} bra {}", q, end));
  std::string second = condition(body);
  line(fmt::format("@{} bra {}", second, b));
  line("bra " + a);
  label(end);
}

void FunctionWriter::table_jump(const Scope& scope) {
  std::string i = temp("r"), name = new_label(), end = new_label();
  std::vector<std::string> targets;
  std::string list;
  unsigned n = chance(50) ? 4 : 2;
  for (unsigned k = 0; k < n; ++k) {
    targets.push_back(new_label());
    list += (k == 0 ? "" : ", ") + targets.back();
  }
  line(fmt::format("and.b32 {}, {}, {}", i, data("r"), n - 1));
  body_ += fmt::format("{}: .branchtargets {};\n", name, list);
  line(fmt::format("brx.idx {}, {}", i, name));
  Scope body = inside(scope);
  for (unsigned k = 0; k < n; ++k) {
    label(targets[k]);
    statements(body, 1 + unsigned(pick(2)));
    if (chance(60)) line("bra " + end);
  }
  label(end);
}

// Jumps over statements, into the middle of what follows.
void FunctionWriter::skip_forward(const Scope& scope) {
  Scope body = inside(scope);
  if (!scope.break_label.empty() && chance(60)) { // out of the loop, or to its next turn
    std::string p = condition(scope);
    bool next = !scope.continue_label.empty() && chance(50);
    line(fmt::format("@{} bra {}", p, next ? scope.continue_label : scope.break_label));
    return;
  }
  std::string a = new_label(), b = new_label();
  std::string p = condition(scope);
  line(fmt::format("@{} bra {}", p, a));
  statements(body, 1 + unsigned(pick(2)));
  std::string q = condition(scope);
  line(fmt::format("@{} bra {}", q, b));
  statements(body, 1);
  label(a);
  statements(body, 1 + unsigned(pick(2)));
  label(b);
}

// Some lanes leave the kernel or the function; the mask of those that stay is kept right.
void FunctionWriter::leave_early(const Scope& scope) {
  if (!scope.top || !chance(50)) return value(scope);
  std::string p = temp("p"), v = temp("r"), gone = temp("r");
  line(fmt::format("and.b32 {}, {}, 15", v, data("r")));
  line(fmt::format("setp.eq.u32 {}, {}, {}", p, v, pick(16)));
  line(fmt::format("vote.sync.ballot.b32 {}, {}, {}", gone, p, scope.mask));
  line(fmt::format("xor.b32 {}, {}, {}", scope.mask, scope.mask, gone));
  line(fmt::format("@{} {}", p, is_kernel_ && chance(50) ? "exit" : "ret"));
}

void FunctionWriter::call(const std::string& function, const std::string& mask, const std::string& count) {
  std::string target;
  if (function.starts_with("[")) { // through the table
    std::string i = temp("r"), at = temp("l");
    target = temp("l");
    std::string base = temp("l");
    line(fmt::format("and.b32 {}, {}, 1", i, data("r")));
    line(fmt::format("mul.wide.u32 {}, {}, 8", at, i));
    line(fmt::format("mov.u64 {}, {}", base, function.substr(1)));
    line(fmt::format("add.s64 {}, {}, {}", at, at, base));
    line(fmt::format("ld.global.u64 {}, [{}]", target, at));
  }
  body_ += "  {\n";
  for (const char* name : {"b32 cax", "b64 cin", "b32 cmask", "b32 cn", "b32 cres"})
    line(std::string(".param .") + name);
  line(fmt::format("st.param.b32 [cax], {}", data("r")));
  line("st.param.b64 [cin], %in");
  line(fmt::format("st.param.b32 [cmask], {}", mask.empty() ? "0" : mask));
  line(fmt::format("st.param.b32 [cn], {}", count));
  if (target.empty())
    line(fmt::format("call (cres), {}, (cax, cin, cmask, cn)", function));
  else
    line(fmt::format("call (cres), {}, (cax, cin, cmask, cn), proto", target));
  line(fmt::format("ld.param.b32 {}, [cres]", data("r")));
  body_ += "  }\n";
}

void FunctionWriter::call_something(const Scope& scope) {
  if (scope.loops > 1) return value(scope);
  if (scope.uniform && !barrier_functions.empty() && chance(40))
    return call(barrier_functions[pick(barrier_functions.size())], scope.mask, std::to_string(pick(3)));
  if (leaf_functions.empty()) return branch(scope);
  std::string n = temp("r");
  line(fmt::format("and.b32 {}, {}, 3", n, data("r")));
  const std::string& name = leaf_functions[pick(leaf_functions.size())];
  bool masked = name.find("_m") != std::string::npos; // these need to know who is with them
  if (masked && scope.mask.empty()) return value(scope);
  call(name, scope.mask, n);
}

} // namespace tollgate::differential
