// PTX ISA on thread block clusters: special registers, shared memory of another block by loads, stores, atomics and
// asynchronous updates of every type. Each thread has 16 bytes of its own in the next block of the cluster.
#include "kernel_cases.h"

namespace tollgate::test {
namespace {

std::string register_of(unsigned bits, unsigned n) {
  return (bits == 16 ? "%h" : bits == 32 ? "%r" : "%d") + std::to_string(n);
}

constexpr const char* meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

// %r10, %d10: this thread's place in its own block; %r11, %d11: the same in the next block, .shared::cluster and
// generic.
void set_up(KernelWriter& kernel, unsigned blocks) {
  kernel.code(".shared .align 16 .b8 near[1024];\n.shared .align 8 .b64 done;\nmov.u32 %r10, near;\n"
              "mov.u32 %r9, %tid.x;\nmad.lo.u32 %r10, %r9, 16, %r10;\ncvt.u64.u32 %d10, %r10;\n"
              "cvta.shared.u64 %d10, %d10;\nmov.u32 %r12, %cluster_ctarank;\nadd.u32 %r12, %r12, 1;\n"
              "rem.u32 %r12, %r12, " +
              std::to_string(blocks) +
              ";\nmapa.shared::cluster.u32 %r11, %r10, %r12;\nmapa.u64 %d11, %d10, %r12;\n"
              "xor.b64 %d1, %vd, 0x00ff00ff12345678;\ncvt.u32.u64 %r1, %d1;\ncvt.u16.u64 %h1, %d1;\n"
              "cvt.u32.u64 %r2, %vd;\ncvt.u16.u64 %h2, %vd;\nmov.u64 %d2, %vd;");
}

void add_identity(std::vector<KernelCase>& out) {
  for (const unsigned blocks : {2U, 3U, 8U}) {
    KernelWriter kernel("cluster of " + std::to_string(blocks), 32, blocks);
    set_up(kernel, blocks);
    for (const std::string reg :
         {"%clusterid.x", "%clusterid.y", "%nclusterid.x", "%nclusterid.z", "%cluster_ctaid.x", "%cluster_ctaid.y",
          "%cluster_nctaid.x", "%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank"})
      kernel.cell(reg, "mov.u32 %r0, " + reg + ";", "%r0", 32);
    kernel.cell("%is_explicit_cluster", "mov.pred %p0, %is_explicit_cluster;", "%p0", 1);
    kernel.cell("getctarank of the next block", "getctarank.u64 %r0, %d11;", "%r0", 32);
    kernel.cell("getctarank.shared::cluster", "getctarank.shared::cluster.u32 %r0, %r11;", "%r0", 32);
    kernel.cell("getctarank of the own block", "getctarank.u64 %r0, %d10;", "%r0", 32);
    for (const std::string space : {"shared", "shared::cta", "shared::cluster", "global", "local"})
      for (const auto& [name, reg] :
           {std::pair<std::string, std::string>{"the own block", "%d10"}, {"the next", "%d11"}})
        kernel.cell("isspacep." + space + " of " + name, "isspacep." + space + " %p0, " + reg + ";", "%p0", 1);
    kernel.cell("mapa of the own rank",
                "mov.u32 %r0, %cluster_ctarank;\nmapa.u64 %d0, %d10, %r0;\nsub.u64 %d0, %d0, %d10;", "%d0", 64);
    kernel.cell("cvta.to.shared::cluster",
                "cvta.to.shared::cluster.u64 %d0, %d11;\ncvt.u32.u64 %r0, %d0;\nsub.u32 %r0, %r0, %r11;", "%r0", 32);
    kernel.cell("cvta.shared::cluster",
                "cvt.u64.u32 %d0, %r11;\ncvta.shared::cluster.u64 %d0, %d0;\nsub.u64 %d0, %d0, %d11;", "%d0", 64);
    kernel.code(meet);
    out.push_back(kernel.finish());
  }
}

// What the block before put into this thread's place.
void memory_cells(KernelWriter& kernel, const std::string& what) {
  kernel.code(meet);
  kernel.cell(what + ": memory", "ld.shared.u64 %d8, [%r10];", "%d8", 64);
  kernel.cell(what + ": memory above", "ld.shared.u64 %d8, [%r10+8];", "%d8", 64);
  kernel.code(meet);
}
void fill(KernelWriter& kernel) { kernel.code("st.shared.v2.u64 [%r10], {%vd, %d1};\n" + std::string(meet)); }

const std::pair<std::string, std::string> ways[] = {{".shared::cluster", "[%r11]"}, {"", "[%d11]"}};

void add_moves(std::vector<KernelCase>& out) {
  KernelWriter kernel("cluster_moves", 32, 2);
  set_up(kernel, 2);
  for (const auto& [space, place] : ways) {
    fill(kernel);
    for (const std::string order : {"", ".volatile", ".relaxed.cluster", ".acquire.cluster"})
      for (const auto& [type, bits] :
           {std::pair<std::string, unsigned>{"u16", 16}, {"b32", 32}, {"b64", 64}, {"f32", 32}})
        kernel.cell("ld" + order + space + "." + type,
                    "ld" + order + space + "." + type + " " + register_of(bits, 4) + ", " + place + ";",
                    register_of(bits, 4), bits);
    kernel.cell("ld" + space + ".v2.u64", "ld" + space + ".v2.u64 {%d4, %d5}, " + place + ";\nxor.b64 %d4, %d4, %d5;",
                "%d4", 64);
    kernel.cell("ld" + space + ".v4.u32",
                "ld" + space + ".v4.u32 {%r4, %r5, %r6, %r7}, " + place +
                    ";\nadd.u32 %r4, %r4, %r6;\nxor.b32 %r4, %r4, %r7;",
                "%r4", 32);
    kernel.code(meet);
    for (const std::string order : {"", ".volatile", ".relaxed.cluster", ".release.cluster"})
      for (const auto& [type, bits] :
           {std::pair<std::string, unsigned>{"u8", 16}, {"u16", 16}, {"b32", 32}, {"b64", 64}}) {
        fill(kernel);
        const std::string text = "st" + order + space + "." + type;
        kernel.code(text + " " + place + ", " + register_of(bits, 1) + ";");
        memory_cells(kernel, text);
      }
    fill(kernel);
    kernel.code("st" + space + ".v2.u64 " + place + ", {%d1, %vd};");
    memory_cells(kernel, "st" + space + ".v2.u64");
  }
  out.push_back(kernel.finish());
}

struct Form {
  std::string op, type;
  unsigned bits;
};

// Bitwise operations on 64 bits are left out: an H200 (CUDA 13.0) loses updates of them on another block's memory.
const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"and", "b32", 32}, {"or", "b32", 32},  {"xor", "b32", 32}, {"exch", "b32", 32}, {"exch", "b64", 64},
      {"cas", "b32", 32}, {"cas", "b64", 64}, {"inc", "u32", 32}, {"dec", "u32", 32},  {"add", "u32", 32},
      {"add", "s32", 32}, {"add", "u64", 64}, {"min", "u32", 32}, {"min", "s32", 32},  {"max", "u32", 32},
      {"max", "s32", 32}, {"add", "f32", 32}};
  return all;
}

void add_atomics(std::vector<KernelCase>& out) {
  for (const auto& [space, place] : ways) {
    KernelWriter kernel("cluster_atomics " + std::string(space.empty() ? "generic" : "shared::cluster"), 32, 2);
    set_up(kernel, 2);
    for (const Form& form : forms()) {
      const std::string what = "atom.relaxed.cluster" + space + "." + form.op + "." + form.type;
      fill(kernel);
      const std::string operands =
          place + ", " + register_of(form.bits, 1) + (form.op == "cas" ? ", " + register_of(form.bits, 2) : "");
      kernel.cell(what + ": old", what + " " + register_of(form.bits, 4) + ", " + operands + ";",
                  register_of(form.bits, 4), form.bits);
      memory_cells(kernel, what);
    }
    out.push_back(kernel.finish());
  }
}

void add_async(std::vector<KernelCase>& out) {
  KernelWriter kernel("cluster_async", 32, 2);
  set_up(kernel, 2);
  kernel.code("mov.u32 %r13, done;\nmapa.shared::cluster.u32 %r14, %r13, %r12;\nsetp.eq.u32 %p7, %r9, 0;\n"
              "@%p7 mbarrier.init.shared.b64 [%r13], 1;\nfence.mbarrier_init.release.cluster;\nmov.u32 %r15, 0;\n" +
              std::string(meet));
  int turn = 0;
  const auto one = [&](const std::string& what, const std::string& text, unsigned bytes) {
    fill(kernel);
    const std::string label = "wait" + std::to_string(turn++);
    kernel.code("@%p7 mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%r13], " +
                std::to_string(32 * bytes) + ";\n" + text + "\n" + label +
                ":\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p6, [%r13], %r15;\n@!%p6 bra " + label +
                ";\nxor.b32 %r15, %r15, 1;");
    memory_cells(kernel, what);
  };
  const std::string tail = ".shared::cluster.mbarrier::complete_tx::bytes.";
  struct Store {
    std::string type, value;
    unsigned bytes;
  };
  for (const auto& [type, value, bytes] : std::vector<Store>{{"b32", "%r1", 4},
                                                             {"u64", "%d1", 8},
                                                             {"v2.b32", "{%r1, %r2}", 8},
                                                             {"v2.b64", "{%d1, %d2}", 16},
                                                             {"v4.f32", "{%r1, %r2, %r9, %r1}", 16}})
    one("st.async." + type, "st.async.weak" + tail + type + " [%r11], " + value + ", [%r14];", bytes);
  for (const Form& form : std::vector<Form>{{"add", "u32", 32},
                                            {"add", "s32", 32},
                                            {"add", "u64", 64},
                                            {"and", "b32", 32},
                                            {"or", "b32", 32},
                                            {"xor", "b32", 32},
                                            {"min", "u32", 32},
                                            {"min", "s32", 32},
                                            {"max", "u32", 32},
                                            {"max", "s32", 32},
                                            {"inc", "u32", 32},
                                            {"dec", "u32", 32}})
    one("red.async." + form.op + "." + form.type,
        "red.async.relaxed.cluster" + tail + form.op + "." + form.type + " [%r11], " + register_of(form.bits, 1) +
            ", [%r14];",
        form.bits / 8);
  out.push_back(kernel.finish());
}

} // namespace

void add_cluster_kernels(std::vector<KernelCase>& out) {
  add_identity(out);
  add_moves(out);
  add_atomics(out);
  add_async(out);
}

} // namespace tollgate::test
