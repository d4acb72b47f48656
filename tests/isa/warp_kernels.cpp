// PTX ISA 9.7.9.6 and 9.7.13.9-14: shfl, vote, match, redux, elect, activemask, and the special registers of a lane.
#include "kernel_cases.h"

namespace tollgate::test {
namespace {

std::string replaced(std::string text, const std::string& mask) {
  for (size_t at; (at = text.find("MASK")) != std::string::npos;) text.replace(at, 4, mask);
  return text;
}

// Emits cells twice: for the warp as a whole, then by its two halves, one after the other and each under its own mask.
// `emit(who, with_mask)` passes its text, in which MASK stands for the mask, through with_mask.
template <typename Emit> void whole_and_halves(Emit emit) {
  emit("whole warp: ", [](const std::string& text) { return replaced(text, "0xffffffff"); });
  static unsigned label = 0;
  emit("halves: ", [](const std::string& text) {
    const std::string n = std::to_string(label++);
    return "setp.ge.u32 %p7, %lane, 16;\n@%p7 bra H" + n + ";\n" + replaced(text, "0x0000ffff") + "\nbra E" + n +
           ";\nH" + n + ":\n" + replaced(text, "0xffff0000") + "\nE" + n + ":\nbar.warp.sync 0xffffffff;";
  });
}

void add_shfl(std::vector<KernelCase>& out) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    KernelWriter kernel("shfl." + mode);
    const char* const lanes[] = {"0", "1", "2", "5", "15", "16", "31", "33", "%r10", "%r11"};
    kernel.code("shr.u32 %r10, %v, 7;\nand.b32 %r11, %lane, 3;\nand.b32 %r12, %v, 0x1f1f;");
    for (const std::string c :
         {"0", "31", "0x1000", "0x101f", "0x1800", "0x181f", "0x1c1f", "0x1e00", "0x1f1f", "0x070f", "%r12"})
      for (const std::string b : lanes)
        kernel.cell("d|p of shfl.sync." + mode + ".b32 b=" + b + " c=" + c,
                    "shfl.sync." + mode + ".b32 %r0|%p0, %v, " + b + ", " + c +
                        ", 0xffffffff;\nselp.u32 %r1, 1, 0, %p0;\nmov.b64 %d0, {%r0, %r1};",
                    "%d0", 64);
    whole_and_halves([&](const std::string& who, auto with_mask) {
      for (const std::string b : {"1", "3", "%r11"})
        kernel.cell(who + mode + " inside 16 lanes, b=" + b,
                    with_mask("shfl.sync." + mode + ".b32 %r0|%p0, %w, " + b +
                              (mode == "up" ? ", 0x1000" : ", 0x101f") + ", MASK;") +
                        "\nselp.u32 %r1, 1, 0, %p0;\nmov.b64 %d0, {%r0, %r1};",
                    "%d0", 64);
    });
    out.push_back(kernel.finish());
  }
}

void add_vote(std::vector<KernelCase>& out) {
  KernelWriter kernel("vote");
  kernel.code(
      "setp.ne.u32 %p0, %lane, %lane;\nnot.pred %p1, %p0;\nsetp.eq.u32 %p2, %lane, 5;\nsetp.lt.u32 %p3, %lane, 20;\n"
      "and.b32 %r0, %v, 64;\nsetp.ne.u32 %p4, %r0, 0;\nsetp.lt.u32 %p5, %lane, 16;");
  for (const std::string p : {"%p0", "%p1", "%p2", "%p3", "%p4", "%p5", "!%p0", "!%p1", "!%p2", "!%p3"})
    whole_and_halves([&](const std::string& who, auto with_mask) {
      for (const std::string mode : {"all", "any", "uni"})
        kernel.cell(who + "vote.sync." + mode + ".pred of " + p,
                    with_mask("vote.sync." + mode + ".pred %p6, " + p + ", MASK;"), "%p6", 1);
      kernel.cell(who + "vote.sync.ballot.b32 of " + p, with_mask("vote.sync.ballot.b32 %r1, " + p + ", MASK;"), "%r1",
                  32);
    });
  out.push_back(kernel.finish());
}

void add_match(std::vector<KernelCase>& out) {
  KernelWriter kernel("match");
  kernel.code("mov.u32 %r10, 7;\nshr.u32 %r11, %lane, 2;\nand.b32 %r12, %lane, 1;\nmov.u32 %r13, %v;\nsetp.eq.u32 %p0, "
              "%lane, 31;\n"
              "selp.u32 %r14, 1, 9, %p0;\nand.b32 %r15, %lane, 16;");
  for (int i = 10; i <= 15; ++i) {
    const std::string r = "%r" + std::to_string(i);
    kernel.code("mov.b64 %d10, {%r10, " + r + "};");
    whole_and_halves([&](const std::string& who, auto with_mask) {
      for (const auto& [type, value] : {std::pair<std::string, std::string>{"b32", r}, {"b64", "%d10"}}) {
        const std::string what = who + "match " + type + " pattern " + std::to_string(i);
        kernel.cell(what + " any", with_mask("match.any.sync." + type + " %r0, " + value + ", MASK;"), "%r0", 32);
        kernel.cell(what + " all",
                    with_mask("match.all.sync." + type + " %r0|%p1, " + value + ", MASK;") +
                        "\nselp.u32 %r1, 1, 0, %p1;\nmov.b64 %d0, {%r0, %r1};",
                    "%d0", 64);
      }
    });
  }
  out.push_back(kernel.finish());
}

void add_redux(std::vector<KernelCase>& out) {
  KernelWriter kernel("redux");
  kernel.code("and.b32 %r10, %v, 0xff;\nadd.u32 %r11, %lane, 0x7ffffff0;\nshl.b32 %r12, 1, %lane;");
  for (const std::string value : {"%v", "%w", "%r10", "%r11", "%r12", "%lane"})
    whole_and_halves([&](const std::string& who, auto with_mask) {
      for (const std::string op :
           {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"})
        kernel.cell(who + "redux.sync." + op + " of " + value,
                    with_mask("redux.sync." + op + " %r0, " + value + ", MASK;"), "%r0", 32);
    });
  out.push_back(kernel.finish());
}

void add_lane(std::vector<KernelCase>& out) {
  KernelWriter kernel("lane", 84); // the last of three warps is partial
  kernel.cell("activemask", "activemask.b32 %r0;", "%r0", 32);
  for (const std::string reg : {"%tid.x",
                                "%tid.y",
                                "%ntid.x",
                                "%ntid.y",
                                "%ntid.z",
                                "%ctaid.x",
                                "%nctaid.x",
                                "%nctaid.z",
                                "%laneid",
                                "%lanemask_eq",
                                "%lanemask_lt",
                                "%lanemask_le",
                                "%lanemask_gt",
                                "%lanemask_ge",
                                "%clusterid.x",
                                "%nclusterid.x",
                                "%cluster_ctaid.x",
                                "%cluster_nctaid.x",
                                "%cluster_ctarank",
                                "%cluster_nctarank",
                                "%dynamic_smem_size"})
    kernel.cell(reg, "mov.u32 %r0, " + reg + ";", "%r0", 32);
  kernel.cell("%is_explicit_cluster", "mov.pred %p0, %is_explicit_cluster;", "%p0", 1);
  out.push_back(kernel.finish());

  KernelWriter elect("elect");
  whole_and_halves([&](const std::string& who, auto with_mask) {
    elect.cell(who + "elect.sync",
               with_mask("elect.sync %r0|%p0, MASK;") + "\nselp.u32 %r1, 1, 0, %p0;\nmov.b64 %d0, {%r0, %r1};", "%d0",
               64);
  });
  out.push_back(elect.finish());
}

} // namespace

void add_warp_kernels(std::vector<KernelCase>& out) {
  add_shfl(out);
  add_vote(out);
  add_match(out);
  add_redux(out);
  add_lane(out);
}

} // namespace tollgate::test
