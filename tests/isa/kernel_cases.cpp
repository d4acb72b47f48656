#include "kernel_cases.h"

namespace tollgate::test {

void KernelWriter::cell(const std::string& description, const std::string& text, const std::string& result,
                        unsigned width) {
  if (!text.empty()) code(text);
  std::string word = result;
  if (width == 1)
    code("selp.u64 %word, 1, 0, " + result + ";");
  else if (width != 64)
    code("cvt.u64.u" + std::to_string(width) + " %word, " + result + ";");
  if (width != 64) word = "%word";
  code("st.global.u64 [%out+" + std::to_string(cells_.size() * threads_ * blocks_ * 8) + "], " + word + ";");
  cells_.push_back(description);
}

KernelCase KernelWriter::finish() const {
  KernelCase out;
  out.name = name_;
  out.threads = threads_;
  out.blocks = blocks_;
  out.inputs = inputs_;
  out.cells = cells_;
  out.ptx =
      ".version 8.6\n.target sm_90\n.address_size 64\n" + declarations_ +
      ".visible .entry k(.param .u64 in, .param .u64 out)" +
      (blocks_ == 1 ? "" : " .explicitcluster .reqnctapercluster " + std::to_string(blocks_)) +
      " {\n"
      ".reg .pred %p<8>;\n.reg .b16 %h<10>;\n.reg .b32 %r<20>, %t, %lane, %v, %w;\n"
      ".reg .b64 %d<20>, %in, %out, %vd, %word;\n.reg .b128 %q<4>;\n"
      "mov.u32 %t, %tid.x;\n" +
      (blocks_ == 1 ? ""
                    : "mov.u32 %v, %cluster_ctarank;\nmad.lo.u32 %t, %v, " + std::to_string(threads_) + ", %t;\n") +
      "mov.u32 %lane, %laneid;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
      "mad.wide.u32 %in, %t, 8, %in;\nmad.wide.u32 %out, %t, 8, %out;\n"
      "mul.lo.u32 %v, %t, 0x9E3779B1;\nadd.u32 %v, %v, 0x7F4A7C15;\nxor.b32 %w, %v, 0x5A5A1234;\n"
      "mov.b64 %vd, {%w, %v};\n" +
      body_ + "ret;\n}\n";
  return out;
}

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> out;
  add_warp_kernels(out);
  add_atomic_kernels(out);
  add_memory_kernels(out);
  add_barrier_kernels(out);
  add_cluster_kernels(out);
  return out;
}

} // namespace tollgate::test
