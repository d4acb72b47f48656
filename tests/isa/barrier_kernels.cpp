// PTX ISA 9.7.13.1 and 9.7.13.15: reducing barriers, and what programs can see of an mbarrier.
#include "kernel_cases.h"

namespace tollgate::test {
namespace {

void add_reductions(std::vector<KernelCase>& out) {
  KernelWriter kernel("bar.red", 128);
  kernel.code("setp.ne.u32 %p0, %t, %t;\nnot.pred %p1, %p0;\nsetp.eq.u32 %p2, %t, 77;\nsetp.lt.u32 %p3, %t, "
              "40;\nand.b32 %r0, %v, 32;\n"
              "setp.ne.u32 %p4, %r0, 0;\nmov.u32 %r1, 3;\nmov.u32 %r2, 128;");
  for (const std::string p : {"%p0", "%p1", "%p2", "%p3", "%p4", "!%p2", "!%p3"})
    for (const std::string name : {"bar", "barrier", "bar.cta", "barrier.cta"})
      for (const std::string where : {"0", "%r1", "2, 128", "%r1, %r2"}) {
        if (where != "0" && p != "%p4") continue;
        const std::string tail = ", " + where + ", " + p + ";";
        kernel.cell(name + ".red.popc " + where + " of " + p, name + ".red.popc.u32 %r4" + tail, "%r4", 32);
        kernel.cell(name + ".red.and " + where + " of " + p, name + ".red.and.pred %p5" + tail, "%p5", 1);
        kernel.cell(name + ".red.or " + where + " of " + p, name + ".red.or.pred %p5" + tail, "%p5", 1);
      }
  out.push_back(kernel.finish());
}

// Half of the threads produce, the others consume.
void add_producers(std::vector<KernelCase>& out) {
  KernelWriter kernel("bar.arrive", 128);
  kernel.code(".shared .align 4 .b8 box[256];\nmov.u32 %r0, box;\nand.b32 %r1, %t, 63;\nmad.lo.u32 %r0, %r1, 4, "
              "%r0;\nmov.u32 %r4, 0;\n"
              "setp.ge.u32 %p0, %t, 64;\n@%p0 bra TAKE;\nst.shared.u32 [%r0], %v;\nbar.arrive 1, 128;\nbra "
              "DONE;\nTAKE:\nbar.sync 1, 128;\n"
              "xor.b32 %r2, %r0, 4;\nld.shared.u32 %r4, [%r2];\nDONE:\nbarrier.sync 0;");
  kernel.cell("what the consumers found", "", "%r4", 32);
  out.push_back(kernel.finish());
}

// One thread drives an mbarrier through its phases; each step shows the answers of test_wait.
class Mbarrier {
public:
  explicit Mbarrier(KernelWriter& kernel) : kernel_(kernel) {}
  void step(const std::string& text) {
    kernel_.code(text);
    history_ += text + " ";
    show("test_wait.parity 0", "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0;");
    show("test_wait.parity 1", "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 1;");
  }
  // `text` puts a state into %d0.
  void arrive(const std::string& text) {
    step(text);
    show("test_wait of that state", "mbarrier.test_wait.shared.b64 %p0, [%r0], %d0;");
    kernel_.cell(history_ + ": pending_count of that state", "mbarrier.pending_count.b64 %r4, %d0;", "%r4", 32);
  }

private:
  void show(const std::string& what, const std::string& text) { kernel_.cell(history_ + ": " + what, text, "%p0", 1); }
  KernelWriter& kernel_;
  std::string history_;
};

void add_mbarrier(std::vector<KernelCase>& out) {
  const std::string set_up = ".shared .align 8 .b8 bar[8];\nmov.u32 %r0, bar;";
  KernelWriter kernel("mbarrier of one thread", 1);
  kernel.code(set_up);
  const std::string arrive = "mbarrier.arrive.shared.b64 %d0, [%r0]";
  {
    Mbarrier one(kernel);
    one.step("mbarrier.init.shared.b64 [%r0], 3;");
    for (int i = 0; i < 7; ++i) one.arrive(arrive + ";");
    one.arrive(arrive + ", 2;");
    one.arrive("mbarrier.arrive_drop.shared.b64 %d0, [%r0];");
    for (int i = 0; i < 4; ++i) one.arrive(arrive + ";");
    one.arrive("mbarrier.arrive.noComplete.shared.b64 %d0, [%r0], 1;");
    one.arrive(arrive + ";");
    one.arrive("mbarrier.arrive_drop.noComplete.release.cta.shared.b64 %d0, [%r0], 1;");
    for (int i = 0; i < 3; ++i) one.arrive(arrive + ";");
  }
  {
    Mbarrier two(kernel);
    two.step("mbarrier.inval.shared.b64 [%r0];\nmbarrier.init.shared.b64 [%r0], 2;");
    two.arrive("mbarrier.arrive.expect_tx.shared.b64 %d0, [%r0], 64;");
    two.arrive(arrive + ";");
    two.step("mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 48;");
    two.step("mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 16;");
    two.step("mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 8;");
    two.arrive(arrive + ", 2;");
    two.step("mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 8;");
    two.arrive("mbarrier.arrive_drop.expect_tx.relaxed.cta.shared.b64 %d0, [%r0], 32;");
    two.step("mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 32;");
    two.arrive(arrive + ";");
    two.arrive(arrive + ";");
  }
  out.push_back(kernel.finish());

  KernelWriter many("mbarrier of 64 threads", 64);
  many.code(set_up +
            "\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [%r0], 64;\nREADY:\nbar.sync 0;");
  for (const std::string phase : {"0", "1"}) {
    many.code(arrive + ";\nWAIT" + phase + ":\nmbarrier.try_wait.shared.b64 %p0, [%r0], %d0;\n@!%p0 bra WAIT" + phase +
              ";");
    many.cell("try_wait.parity " + phase, "mbarrier.try_wait.parity.shared.b64 %p0, [%r0], " + phase + ", 1000;", "%p0",
              1);
    many.code("bar.sync 0;");
  }
  many.code(".shared .align 16 .b8 copy[1024];\nmov.u32 %r1, copy;\nmad.lo.u32 %r1, %t, 8, "
            "%r1;\ncp.async.ca.shared.global [%r1], [%in], 8;\n"
            "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];\nWAIT2:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r0], "
            "0;\n@!%p0 bra WAIT2;");
  many.cell("copied", "xor.b32 %r1, %r1, 8;\nld.shared.u64 %d1, [%r1];", "%d1", 64);
  many.code("cp.async.mbarrier.arrive.shared.b64 [%r0];\ncp.async.wait_all;\n" + arrive +
            ";\nWAIT3:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r0], 1;\n@!%p0 bra WAIT3;");
  many.cell("after cp.async.mbarrier.arrive", "", "%p0", 1);
  std::vector<uint64_t> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 0x1111111111111111 * (i % 15) + i;
  many.input(in);
  out.push_back(many.finish());

  KernelWriter bulk("cp.async.bulk", 32);
  bulk.code(".shared .align 16 .b8 copy[512];\n" + set_up +
            "\nmov.u32 %r1, copy;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [%r0], "
            "1;\nfence.proxy.async;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 256;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 256, "
            "[%r0];\nREADY:\nbar.sync 0;\n"
            "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;\n@!%p0 bra WAIT;\nmad.lo.u32 %r2, %t, 8, %r1;");
  bulk.cell("what came", "ld.shared.u64 %d1, [%r2];", "%d1", 64);
  bulk.code("@%p1 bra LATER;\nst.shared.u64 [%r1+8], %vd;\nfence.proxy.async;\nadd.u64 %d2, %in, 256;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r1], "
            "16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nLATER:\nbar.sync 0;");
  bulk.cell("what went", "ld.volatile.global.u64 %d1, [%in+256];", "%d1", 64);
  bulk.input(std::vector<uint64_t>(in.begin(), in.end()));
  out.push_back(bulk.finish());
}

} // namespace

void add_barrier_kernels(std::vector<KernelCase>& out) {
  add_reductions(out);
  add_producers(out);
  add_mbarrier(out);
}

} // namespace tollgate::test
