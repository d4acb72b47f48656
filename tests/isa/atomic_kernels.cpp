// PTX ISA 9.7.13.5 and 9.7.13.6: atom and red, each operation, type and space: alone on an address, and 32 lanes at
// once on one where the order leaves no trace.
#include "../unit/lower/samples.h"
#include "kernel_cases.h"

namespace tollgate::test {
namespace {

struct AtomicForm {
  std::string op, type; // "add.noftz", "f16x2"
  unsigned bits;
  bool has_red = true;
};

const std::vector<AtomicForm>& forms() {
  static const std::vector<AtomicForm> all = [] {
    std::vector<AtomicForm> out;
    for (const std::string t : {"b32", "b64"})
      for (const std::string op : {"and", "or", "xor"}) out.push_back({op, t, t == "b32" ? 32U : 64U});
    for (const std::string t : {"b32", "b64", "b128"})
      out.push_back({"exch", t, t == "b32" ? 32U : t == "b64" ? 64U : 128U, false});
    for (const std::string t : {"b16", "b32", "b64", "b128"})
      out.push_back({"cas", t, t == "b16" ? 16U : t == "b32" ? 32U : t == "b64" ? 64U : 128U, false});
    out.push_back({"inc", "u32", 32});
    out.push_back({"dec", "u32", 32});
    for (const std::string t : {"u32", "s32", "u64"}) out.push_back({"add", t, t == "u64" ? 64U : 32U});
    for (const std::string t : {"u32", "s32", "u64", "s64"})
      for (const std::string op : {"min", "max"}) out.push_back({op, t, t.ends_with("64") ? 64U : 32U});
    out.push_back({"add", "f32", 32});
    out.push_back({"add", "f64", 64});
    for (const std::string t : {"f16", "bf16"}) {
      out.push_back({"add.noftz", t, 16});
      out.push_back({"add.noftz", t + "x2", 32});
    }
    return out;
  }();
  return all;
}

struct Place {
  std::string name, suffix, address; // suffix of the mnemonic; register that holds this thread's 16 bytes
};
const Place places[] = {{"global", ".global", "%d10"},
                        {"shared", ".shared", "%r10"},
                        {"generic address of global", "", "%d10"},
                        {"generic address of shared", "", "%d11"}};

// a, b, c of a thread: words 0-31, 32-63, 64-95 of the input.
std::vector<uint64_t> inputs_for(const AtomicForm& form) {
  std::vector<uint64_t> samples;
  if (form.type == "f32")
    samples = float_samples(32, 23, 40);
  else if (form.type == "f64")
    samples = float_samples(64, 52, 40);
  else if (form.type.starts_with("f16"))
    samples = float_samples(16, 10, 40);
  else if (form.type.starts_with("bf16"))
    samples = float_samples(16, 7, 40);
  else
    samples = integer_samples(std::min(form.bits, 64U), 24);
  std::mt19937 random(static_cast<unsigned>(form.bits) + static_cast<unsigned>(form.op[0]));
  std::vector<uint64_t> words(96);
  for (uint64_t& word : words) {
    word = samples[random() % samples.size()];
    if (form.type.ends_with("x2")) word |= samples[random() % samples.size()] << 16;
  }
  // Every other compare finds what is there; counters stay in the range of their limit.
  for (size_t i = 0; i < 32; i += 2)
    if (form.op == "cas") words[32 + i] = words[i];
  return words;
}

std::string register_of(unsigned bits, unsigned n) {
  return (bits == 16 ? "%h" : bits == 32 ? "%r" : bits == 64 ? "%d" : "%q") + std::to_string(n);
}

void set_up(KernelWriter& kernel) {
  kernel.declare(".global .align 16 .b8 far[1024];");
  kernel.code(
      ".shared .align 16 .b8 near[1024];\nmov.u64 %d10, far;\ncvta.global.u64 %d10, %d10;\nmov.u32 %r10, near;\n"
      "mad.wide.u32 %d10, %t, 16, %d10;\nmad.lo.u32 %r10, %t, 16, %r10;\ncvt.u64.u32 %d11, %r10;\ncvta.shared.u64 "
      "%d11, %d11;\n"
      "ld.global.u64 %d0, [%in];\nld.global.u64 %d1, [%in+256];\nld.global.u64 %d2, [%in+512];\n"
      "mov.b128 %q0, {%d0, %d2};\nmov.b128 %q1, {%d1, %d2};\nmov.b128 %q2, {%d2, %d0};\n"
      "cvt.u32.u64 %r0, %d0;\ncvt.u32.u64 %r1, %d1;\ncvt.u32.u64 %r2, %d2;\n"
      "cvt.u16.u64 %h0, %d0;\ncvt.u16.u64 %h1, %d1;\ncvt.u16.u64 %h2, %d2;");
}

// What stands at the place, as one cell for each 64 bits.
void memory_cells(KernelWriter& kernel, const std::string& what, const Place& place) {
  kernel.cell(what + ": memory", "ld" + place.suffix + ".u64 %d8, [" + place.address + "];", "%d8", 64);
  kernel.cell(what + ": memory above", "ld" + place.suffix + ".u64 %d8, [" + place.address + "+8];", "%d8", 64);
}

void alone(KernelWriter& kernel, const AtomicForm& form, const Place& place) {
  const std::string what = form.op + "." + form.type + " on " + place.name;
  const std::string fill = "st" + place.suffix + ".v2.u64 [" + place.address + "], {%d0, %d2};\n";
  const std::string operands = "[" + place.address + "], " + register_of(form.bits, 1) +
                               (form.op == "cas" ? ", " + register_of(form.bits, 2) : "");
  const std::string name = place.suffix + "." + form.op + "." + form.type + " ";
  const std::string old = register_of(form.bits, 4 - (form.bits == 128 ? 1 : 0));
  kernel.code(fill + "atom" + name + old + ", " + operands + ";");
  if (form.bits == 128) {
    kernel.cell("atom " + what + ": old", "mov.b128 {%d8, %d9}, " + old + ";", "%d8", 64);
    kernel.cell("atom " + what + ": old above", "", "%d9", 64);
  } else {
    kernel.cell("atom " + what + ": old", "", old, form.bits);
  }
  memory_cells(kernel, "atom " + what, place);
  if (!form.has_red) return;
  kernel.code(fill + "red" + name + operands + ";");
  memory_cells(kernel, "red " + what, place);
}

// All lanes on lane 0's address, the operand each lane's own. Sums of floats: of small integers, which are exact.
void together(KernelWriter& kernel, const AtomicForm& form, const Place& place) {
  if (form.op == "exch" || form.bits == 128 || form.bits == 16) return;
  const std::string what = "32 lanes, " + form.op + "." + form.type + " on " + place.name;
  const bool wide = place.address[1] == 'd';
  const std::string base = wide ? "%d12" : "%r12";
  const std::string find = wide ? "mul.wide.u32 %d12, %t, 16;\nsub.u64 %d12, " + place.address + ", %d12;\n"
                                : "mul.lo.u32 %r12, %t, 16;\nsub.u32 %r12, " + place.address + ", %r12;\n";
  std::string start = "0", operand = register_of(form.bits, 5), make;
  if (form.type == "f32")
    make = "cvt.rn.f32.u32 %r5, %t;";
  else if (form.type == "f64")
    make = "cvt.rn.f64.u32 %d5, %t;";
  else if (form.type.starts_with("f16"))
    make = "cvt.rn.f16.u32 %h5, %t;\nmov.b32 %r5, {%h5, %h5};";
  else if (form.type.starts_with("bf16"))
    make = "mov.b32 %r5, 0x3f803f80;";
  else if (form.op == "inc" || form.op == "dec")
    make = "mov.u32 %r5, 20;";
  else if (form.op == "cas")
    make = form.bits == 32 ? "mov.u32 %r5, 0;" : "mov.u64 %d5, 0;";
  else
    make = form.bits == 32 ? "mov.u32 %r5, %v;" : "mov.u64 %d5, %vd;";
  if (form.op == "and" || form.op == "min") start = "-1";
  const std::string other = form.op == "cas" ? (form.bits == 32 ? ", 77" : ", 78") : "";
  const std::string name = place.suffix + "." + form.op + "." + form.type + " ";
  for (const bool red : {false, true}) {
    if (red && !form.has_red) continue;
    kernel.code(find + make + "\nbar.sync 0;\nmov.s64 %d8, " + start + ";\nst" + place.suffix + ".u64 [" + base +
                "], %d8;\nbar.sync 0;\n" + (red ? "red" + name : "atom" + name + register_of(form.bits, 6) + ", ") +
                "[" + base + "], " + operand + other + ";\nbar.sync 0;");
    kernel.cell((red ? "red, " : "atom, ") + what, "ld" + place.suffix + ".u64 %d8, [" + base + "];", "%d8", 64);
  }
}

void add_vectors(std::vector<KernelCase>& out) {
  KernelWriter kernel("atomic vectors");
  set_up(kernel);
  kernel.input(inputs_for({"add", "f32", 32}));
  kernel.code("mov.b32 %r3, %v;");
  const std::string fill = "st.global.v2.u64 [%d10], {%d0, %d2};\n";
  for (const std::string type : {"f32", "f16x2", "bf16x2", "f16", "bf16"})
    for (const std::string op : {"add", "min", "max"})
      for (const unsigned n : {2U, 4U, 8U}) {
        const bool f32 = type == "f32", narrow = !type.ends_with("2");
        if ((f32 && (op != "add" || n == 8)) || (n == 8 && !narrow)) continue;
        const std::string name =
            std::string(".global.") + (f32 ? op : op + ".noftz") + ".v" + std::to_string(n) + "." + type + " ";
        const std::string letter = narrow ? "%h" : "%r";
        std::string values = "{", olds = "{";
        for (unsigned i = 0; i < n; ++i) {
          values += letter + std::to_string(i % 3) + (i + 1 < n ? ", " : "}");
          olds += letter + std::to_string(narrow ? 3 + i % 7 : 13 + i) + (i + 1 < n ? ", " : "}");
        }
        if (n == 8) olds = "{%h3, %h4, %h5, %h6, %h7, %h8, %h9, _}";
        kernel.code(fill + "atom" + name + olds + ", [%d10], " + values + ";");
        memory_cells(kernel, "atom" + name, places[0]);
        kernel.cell("atom" + name + ": second of the old values", "", narrow ? "%h4" : "%r14", narrow ? 16 : 32);
        kernel.code(fill + "red" + name + "[%d10], " + values + ";");
        memory_cells(kernel, "red" + name, places[0]);
      }
  out.push_back(kernel.finish());
}

} // namespace

void add_atomic_kernels(std::vector<KernelCase>& out) {
  for (const AtomicForm& form : forms()) {
    KernelWriter kernel("atomic " + form.op + "." + form.type);
    set_up(kernel);
    kernel.input(inputs_for(form));
    for (const Place& place : places) {
      alone(kernel, form, place);
      together(kernel, form, place);
    }
    out.push_back(kernel.finish());
  }
  add_vectors(out);
}

} // namespace tollgate::test
