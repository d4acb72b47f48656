#include "ptx_test.h"

namespace tollgate::ptx {
namespace {

TEST(Instructions, DecodesMemoryModifiers) {
  const Instruction ld = one("ld.acquire.gpu.global.L1::no_allocate.v2.u64 {%d1, _}, [%d2+-8];");
  EXPECT_EQ(ld.form->opcode, Opcode::Ld);
  EXPECT_EQ(ld.mods.sem, Semantics::Acquire);
  EXPECT_EQ(ld.mods.scope, Scope::Gpu);
  EXPECT_EQ(ld.mods.space, Space::Global);
  EXPECT_EQ(ld.mods.vec, 2);
  EXPECT_EQ(ld.mods.types[0], Type::U64);
  EXPECT_EQ(ld.mods.ignored, std::vector<std::string>{"L1::no_allocate"});
  ASSERT_EQ(ld.operands.size(), 2U);
  EXPECT_EQ(ld.operands[0].list[1].kind, Operand::Kind::Sink);
  EXPECT_EQ(ld.operands[1].offset, -8);
  EXPECT_EQ(one("ld.mmio.relaxed.sys.global.u32 %r0, [%d0];").mods.sem, Semantics::Mmio);
  EXPECT_TRUE(one("ld.global.nc.f32 %f0, [%d0];").mods.nc);
  EXPECT_TRUE(one("ld.shared::cluster.b32 %r0, [%d0];").mods.cluster_space);
}

TEST(Instructions, AcceptsTheModifierOrdersOfBothCompilers) {
  for (const char* text : {"atom.add.release.gpu.u32 %r0, [%d0], 1;", "atom.release.gpu.add.u32 %r0, [%d0], 1;"}) {
    const Instruction atom = one(text);
    EXPECT_EQ(atom.mods.op, Op::Add);
    EXPECT_EQ(atom.mods.sem, Semantics::Release);
    EXPECT_EQ(atom.mods.scope, Scope::Gpu);
  }
  for (const char* text : {"vote.sync.ballot.b32 %r0, %p0, -1;", "vote.ballot.sync.b32 %r0, !%p0, -1;"}) {
    EXPECT_EQ(one(text).mods.op, Op::Ballot);
  }
}

TEST(Instructions, ConversionsKeepTheOrderOfTheirTypes) {
  const Instruction cvt = one("cvt.rn.f32.s64 %f0, %d0;");
  EXPECT_EQ(cvt.mods.types[0], Type::F32);
  EXPECT_EQ(cvt.mods.types[1], Type::S64);
  EXPECT_EQ(cvt.mods.rounding, Rounding::RN);
  EXPECT_EQ(one("cvt.rn.bf16x2.f32 %r0, %f0, %f1;").operands.size(), 3U);
  EXPECT_EQ(one("cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;").mods.types[0], Type::E4M3x2);
  EXPECT_TRUE(one("cvt.rn.satfinite.e2m1x2.f32 %h0, %f0, %f1;").form->flags & Unsupported);
}

TEST(Instructions, BarrierFormsSayWhatTheyAre) {
  const Instruction bar = one("bar.sync 0;");
  EXPECT_EQ(bar.mods.mode, Mode::Sync);
  EXPECT_TRUE(bar.mods.aligned);
  const Instruction barrier = one("barrier.sync %r0, %r1;");
  EXPECT_EQ(barrier.mods.mode, Mode::Sync);
  EXPECT_FALSE(barrier.mods.aligned);
  EXPECT_TRUE(one("barrier.cta.sync.aligned 1;").mods.aligned);
  const Instruction red = one("barrier.cta.red.popc.aligned.u32 %r0, 1, %r2, !%p0;");
  EXPECT_EQ(red.mods.mode, Mode::Red);
  EXPECT_EQ(red.mods.op, Op::Popc);
  EXPECT_TRUE(red.operands[3].negated);
  EXPECT_EQ(one("bar.red.and.pred %p0, 1, %p1;").operands.size(), 3U);
  EXPECT_EQ(one("bar.warp.sync -1;").mods.mode, Mode::WarpSync);
  const Instruction membar = one("membar.gl;");
  EXPECT_EQ(membar.mods.scope, Scope::Gpu);
  EXPECT_EQ(membar.mods.sem, Semantics::SC);
  EXPECT_EQ(one("mbarrier.arrive.noComplete.shared.b64 %d0, [%d1], 2;").mods.mode, Mode::Arrive);
  EXPECT_TRUE(one("mbarrier.try_wait.parity.shared::cta.b64 %p0, [%d1], %r0, 100;").mods.parity);
}

TEST(Instructions, PairsTailsAndPacks) {
  const Instruction setp = one("setp.lt.and.s32 %p0|%p1, %r0, -5, !%p2;");
  EXPECT_EQ(setp.mods.cmp, CmpOp::LT);
  EXPECT_EQ(setp.mods.op, Op::And);
  EXPECT_GE(setp.operands[0].pair, 0);
  EXPECT_EQ(setp.operands[2].bits, static_cast<uint64_t>(-5));
  EXPECT_TRUE(setp.operands[3].negated);
  EXPECT_EQ(one("setp.hi.u32 %p0, %r0, %r1;").mods.cmp, CmpOp::HI);
  const Instruction elect = one("elect.sync _|%p0, -1;");
  EXPECT_EQ(elect.operands[0].kind, Operand::Kind::Sink);
  EXPECT_GE(elect.operands[0].pair, 0);
  EXPECT_EQ(one("mov.b64 {%r0, %r1}, %d0;").operands[0].list.size(), 2U);
  EXPECT_EQ(one("mov.u32 %r0, %tid.x;").operands[1].special, SpecialReg::TidX);
  EXPECT_EQ(one("mov.u32 %r0, WARP_SZ;").operands[1].bits, 32U);
  EXPECT_EQ(one("mul.hi.u32 %r0, %r1, %r2;").mods.mode, Mode::Hi);
  const Instruction shf = one("shf.l.wrap.b32 %r0, %r1, %r2, 3;");
  EXPECT_EQ(shf.mods.mode, Mode::Left);
  EXPECT_TRUE(shf.mods.wrap);
}

TEST(Instructions, ImmediatesInEveryNotation) {
  EXPECT_EQ(one("mov.u32 %r0, 0x1FU;").operands[1].bits, 31U);
  EXPECT_EQ(one("mov.u32 %r0, 017;").operands[1].bits, 15U);
  EXPECT_EQ(one("mov.u32 %r0, 0b101;").operands[1].bits, 5U);
  EXPECT_EQ(one("mov.u32 %r0, (3 + 4) * 2;").operands[1].bits, 14U);
  const Operand single = one("mov.f32 %f0, 0f3F800000;").operands[1];
  EXPECT_EQ(single.float_literal, Operand::FloatLiteral::F32);
  EXPECT_EQ(single.bits, 0x3F800000U);
  EXPECT_EQ(one("mov.f32 %f0, 1.5;").operands[1].float_literal, Operand::FloatLiteral::Decimal);
  EXPECT_EQ(one("mov.f64 %fd0, 0dBFF0000000000000;").operands[1].bits, 0xBFF0000000000000U);
}

TEST(Instructions, CopiesAreToldApart) {
  const Instruction copy = one("cp.async.cg.shared.global [%d0], [%d1], 16;");
  EXPECT_EQ(copy.form->opcode, Opcode::CpAsync);
  EXPECT_EQ(copy.mods.mode, Mode::None);
  EXPECT_EQ(copy.mods.space, Space::Shared);
  EXPECT_EQ(copy.mods.space2, Space::Global);
  EXPECT_EQ(one("cp.async.commit_group;").mods.mode, Mode::Commit);
  EXPECT_EQ(one("cp.async.wait_group 2;").mods.mode, Mode::WaitGroup);
  EXPECT_EQ(one("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%d0];").mods.mode, Mode::MbarrierArrive);
  const Instruction bulk =
      one("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], %r0, [%d2];");
  EXPECT_EQ(bulk.form->opcode, Opcode::CpAsyncBulk);
  EXPECT_TRUE(bulk.mods.cluster_space);
}

TEST(Instructions, GuardsAndPlaces) {
  const Instruction guarded = one("@!%p3 add.s32 %r0, %r1, %r2;");
  ASSERT_TRUE(guarded.guard);
  EXPECT_TRUE(guarded.guard->negated);
  EXPECT_EQ(guarded.ptx_line, 6U);
  EXPECT_EQ(guarded.ptx_column, 7U);
}

TEST(Instructions, CarryFormsAreFlagged) {
  EXPECT_TRUE(one("add.cc.u32 %r0, %r1, %r2;").form->flags & CarryOut);
  EXPECT_TRUE(one("addc.u32 %r0, %r1, %r2;").form->flags & CarryIn);
  EXPECT_TRUE(one("mad.lo.cc.u32 %r0, %r1, %r2, %r3;").mods.cc);
}

} // namespace
} // namespace tollgate::ptx
