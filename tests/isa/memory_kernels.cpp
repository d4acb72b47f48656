// PTX ISA 9.7.9: ld and st of every type and vector in every space, cvta, isspacep, cp.async.
#include "kernel_cases.h"

#include <algorithm>

namespace tollgate::test {
namespace {

struct Space {
  std::string name, suffix, address, find;
};
const Space spaces[] = {
    {"global", ".global", "%d10", "mov.u64 %d10, far;\nmad.wide.u32 %d10, %t, 32, %d10;"},
    {"shared", ".shared", "%r10", "mov.u32 %r10, near;\nmad.lo.u32 %r10, %t, 32, %r10;"},
    {"local", ".local", "%d11", "mov.u64 %d11, own;"},
    {"generic address of global", "", "%d12", "cvta.global.u64 %d12, %d10;"},
    {"generic address of shared", "", "%d13", "cvt.u64.u32 %d13, %r10;\ncvta.shared.u64 %d13, %d13;"},
    {"generic address of local", "", "%d14", "cvta.local.u64 %d14, %d11;"},
};

void set_up(KernelWriter& kernel) {
  kernel.declare(".global .align 32 .b8 far[1024];\n.const .align 16 .b8 fixed[16] = {1, 130, 3, 4, 0x55, 0x86, 7, 8, "
                 "0xf9, 10, 11, 140, 13, 14, 15, 0xf0};");
  kernel.code(".shared .align 32 .b8 near[1024];\n.local .align 32 .b8 own[32];");
  for (const Space& space : spaces) kernel.code(space.find);
  kernel.code("mov.b64 %d0, {%v, %w};\nmov.b64 %d1, {%w, %v};\nnot.b64 %d2, %d0;\nnot.b64 %d3, %d1;");
}

unsigned bits_of(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("0123456789"))));
}

std::string letter_of(unsigned bits) { return bits <= 16 ? "%h" : bits == 32 ? "%r" : "%d"; }

std::string list_of(const std::string& letter, unsigned first, unsigned count) {
  if (count == 1) return letter + std::to_string(first);
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i) out += letter + std::to_string(first + i) + (i + 1 < count ? ", " : "}");
  return out;
}

void fill(KernelWriter& kernel, const Space& space) {
  for (int i = 0; i < 4; ++i)
    kernel.code("st" + space.suffix + ".u64 [" + space.address + "+" + std::to_string(8 * i) + "], %d" +
                std::to_string(i) + ";");
}

void loads(KernelWriter& kernel, const std::string& name, const std::string& head, const std::string& address) {
  for (const std::string type :
       {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"})
    for (const unsigned n : {1U, 2U, 4U}) {
      const unsigned bits = bits_of(type);
      if (bits * n > 128 || n * bits / 8 + 8 > 32) continue;
      const std::string spelled = head + (n > 1 ? ".v" + std::to_string(n) : "") + "." + type;
      const std::string letter = letter_of(bits);
      const unsigned first = letter == "%d" ? 6 : letter == "%r" ? 4 : 4;
      const unsigned offset = n * bits / 8 <= 8 ? 8 : 0;
      kernel.code(spelled + " " + list_of(letter, first, n) + ", [" + address + "+" + std::to_string(offset) + "];");
      kernel.cell(name + " " + spelled + ", last element", "", letter + std::to_string(first + n - 1),
                  std::max(bits, 16U));
      // A register wider than the type: extended by its sign.
      if (n == 1 && bits < 64 && type[0] != 'f')
        kernel.cell(name + " " + spelled + " into 64 bits",
                    spelled + " %d6, [" + address + "+" + std::to_string(bits == 8 ? 3 : bits / 8) + "];", "%d6", 64);
    }
}

void loads_of(KernelWriter& kernel, const Space& space) {
  fill(kernel, space);
  loads(kernel, space.name, "ld" + space.suffix, space.address);
}

void stores(KernelWriter& kernel, const Space& space) {
  for (const std::string type : {"b8", "u8", "s8", "u16", "s16", "b32", "u32", "b64", "f32", "f64"})
    for (const unsigned n : {1U, 2U, 4U}) {
      const unsigned bits = bits_of(type);
      if (bits * n > 128) continue;
      const std::string spelled = "st" + space.suffix + (n > 1 ? ".v" + std::to_string(n) : "") + "." + type;
      fill(kernel, space);
      kernel.code("mov.u64 %d4, %vd;\nnot.b64 %d5, %vd;\nmov.u32 %r4, %v;\nmov.u32 %r5, %w;\nnot.b32 %r6, %v;\nnot.b32 "
                  "%r7, %w;\n"
                  "cvt.u16.u32 %h4, %v;\ncvt.u16.u32 %h5, %w;\nnot.b16 %h6, %h4;\nnot.b16 %h7, %h5;");
      kernel.code(spelled + " [" + space.address + "+16], " + list_of(letter_of(bits), 4, n) + ";");
      kernel.cell(space.name + " " + spelled, "ld" + space.suffix + ".u64 %d6, [" + space.address + "+16];", "%d6", 64);
      kernel.cell(space.name + " " + spelled + ", behind",
                  "ld" + space.suffix + ".u64 %d6, [" + space.address + "+24];", "%d6", 64);
      if (n == 1 && bits < 64 && type[0] != 'f') {
        fill(kernel, space);
        kernel.cell(space.name + " " + spelled + " from 64 bits",
                    spelled + " [" + space.address + "+16], %d4;\nld" + space.suffix + ".u64 %d6, [" + space.address +
                        "+16];",
                    "%d6", 64);
      }
    }
}

void add_orders(std::vector<KernelCase>& out) {
  KernelWriter kernel("ld and st with semantics");
  set_up(kernel);
  for (const Space& space : spaces) {
    if (space.name.find("local") != std::string::npos) continue;
    fill(kernel, space);
    for (const std::string order :
         {"weak", "volatile", "relaxed.cta", "relaxed.gpu", "relaxed.sys", "acquire.cta", "acquire.gpu"})
      kernel.cell("ld." + order + " " + space.name,
                  "ld." + order + space.suffix + ".u32 %r4, [" + space.address + "+4];", "%r4", 32);
    for (const std::string order :
         {"weak", "volatile", "relaxed.cta", "relaxed.gpu", "relaxed.sys", "release.cta", "release.gpu"})
      kernel.cell("st." + order + " " + space.name,
                  "st." + order + space.suffix + ".u32 [" + space.address + "+4], %v;\nld" + space.suffix +
                      ".u64 %d6, [" + space.address + "];",
                  "%d6", 64);
  }
  for (const std::string load : {"ld.global.nc.u32", "ld.global.ca.u32", "ld.global.cg.u32", "ld.global.cs.u32",
                                 "ld.global.lu.u32", "ld.global.cv.u32", "ldu.global.u32"})
    kernel.cell(load, load + " %r4, [%in];", "%r4", 32);
  kernel.input(std::vector<uint64_t>(32, 0x123456789abcdef0));
  out.push_back(kernel.finish());
}

void add_addresses(std::vector<KernelCase>& out) {
  KernelWriter kernel("addresses");
  set_up(kernel);
  kernel.code("mov.u64 %d15, fixed;\ncvta.const.u64 %d15, %d15;");
  for (const auto& [name, reg] : {std::pair<std::string, std::string>{"global", "%d12"},
                                  {"shared", "%d13"},
                                  {"local", "%d14"},
                                  {"const", "%d15"},
                                  {"in", "%in"}})
    for (const std::string space : {"global", "shared", "shared::cta", "shared::cluster", "local", "const"})
      kernel.cell("isspacep." + space + " of a generic address of " + name, "isspacep." + space + " %p0, " + reg + ";",
                  "%p0", 1);
  kernel.cell("cvta.to.global undoes cvta", "cvta.to.global.u64 %d6, %d12;\nsub.u64 %d6, %d6, %d10;", "%d6", 64);
  kernel.cell("cvta.to.local undoes cvta", "cvta.to.local.u64 %d6, %d14;\nsub.u64 %d6, %d6, %d11;", "%d6", 64);
  kernel.cell("cvta.to.shared undoes cvta",
              "cvta.to.shared.u64 %d6, %d13;\ncvt.u64.u32 %d7, %r10;\nsub.u64 %d6, %d6, %d7;", "%d6", 64);
  kernel.cell("distance of shared addresses", "mov.u64 %d6, near;\ncvta.shared.u64 %d6, %d6;\nsub.u64 %d6, %d13, %d6;",
              "%d6", 64);
  kernel.cell("ld.const through a generic address", "ld.u32 %r4, [%d15+4];", "%r4", 32);
  kernel.cell("getctarank", "getctarank.u64 %r4, %d13;", "%r4", 32);
  kernel.cell("mapa.u64 of rank 0", "mapa.u64 %d6, %d13, 0;\nisspacep.shared::cluster %p0, %d6;", "%p0", 1);
  out.push_back(kernel.finish());

  KernelWriter fixed("ld.const");
  set_up(fixed);
  for (const std::string type : {"u8", "s8", "u16", "s16", "u32", "s32", "u64"}) {
    const std::string letter = letter_of(bits_of(type));
    fixed.cell("ld.const." + type, "ld.const." + type + " " + letter + "4, [fixed+8];", letter + "4",
               std::max(bits_of(type), 16U));
    fixed.cell("ld.const." + type + " into 64 bits", "ld.const." + type + " %d6, [fixed];", "%d6", 64);
  }
  out.push_back(fixed.finish());
}

void add_copies(std::vector<KernelCase>& out) {
  KernelWriter kernel("cp.async");
  set_up(kernel);
  std::vector<uint64_t> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 0x0102030405060708 * (i + 1);
  kernel.input(in);
  kernel.code("mul.lo.u32 %r11, %t, 8;\ncvt.u64.u32 %d15, %r11;\nsub.u64 %d16, %in, %d15;\nand.b32 %r12, %t, "
              "7;\nmad.wide.u32 %d16, %r12, 16, %d16;\nsetp.lt.u32 %p0, %t, 9;");
  for (const std::string copy : {"ca.shared.global [%r10], [%d16], 4", "ca.shared.global [%r10], [%d16], 8",
                                 "ca.shared.global [%r10], [%d16], 16", "cg.shared.global [%r10], [%d16], 16",
                                 "ca.shared.global [%r10], [%d16], 16, 7", "ca.shared.global [%r10], [%d16], 8, 0",
                                 "cg.shared.global [%r10], [%d16], 16, %r12"}) {
    fill(kernel, spaces[1]);
    kernel.code("cp.async." + copy + ";\ncp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;");
    kernel.cell("cp.async." + copy, "ld.shared.u64 %d6, [%r10];", "%d6", 64);
    kernel.cell("cp.async." + copy + ", behind", "ld.shared.u64 %d6, [%r10+8];", "%d6", 64);
  }
  out.push_back(kernel.finish());
}

} // namespace

void add_memory_kernels(std::vector<KernelCase>& out) {
  for (const Space& space : spaces) {
    KernelWriter load("ld " + space.name);
    set_up(load);
    loads_of(load, space);
    out.push_back(load.finish());
    KernelWriter store("st " + space.name);
    set_up(store);
    stores(store, space);
    out.push_back(store.finish());
  }
  add_orders(out);
  add_addresses(out);
  add_copies(out);
}

} // namespace tollgate::test
