#include "jit/promote_slots.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>

namespace tollgate::jit {
namespace {

using namespace llvm;

// A function of its own, promoted and found valid.
struct Promoted {
  explicit Promoted(const std::string& body) {
    SMDiagnostic problem;
    module = parseAssemblyString("declare void @use(i32)\n" + body, problem, context);
    if (!module) {
      ADD_FAILURE() << problem.getMessage().str();
      return;
    }
    function = module->getFunction("f");
    promote_slots(*function);
    std::string text;
    raw_string_ostream os(text);
    EXPECT_FALSE(verifyFunction(*function, &os)) << text;
  }
  template <class Inst> unsigned count() const {
    unsigned n = 0;
    for (const Instruction& inst : instructions(*function)) n += isa<Inst>(inst);
    return n;
  }
  const Instruction* named(const char* name) const {
    for (const Instruction& inst : instructions(*function))
      if (inst.getName() == name) return &inst;
    return nullptr;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
  Function* function = nullptr;
};

TEST(PromoteSlots, StraightCodeNeedsNoPhi) {
  const Promoted p(R"(define i32 @f(i32 %x) {
    %slot = alloca i32
    store i32 1, ptr %slot
    store i32 %x, ptr %slot
    %a = load i32, ptr %slot
    %sum = add i32 %a, %a
    store i32 %sum, ptr %slot
    %b = load i32, ptr %slot
    ret i32 %b
  })");
  EXPECT_EQ(p.count<AllocaInst>() + p.count<LoadInst>() + p.count<StoreInst>() + p.count<PHINode>(), 0U);
  EXPECT_EQ(cast<ReturnInst>(p.function->back().getTerminator())->getReturnValue(), p.named("sum"));
}

TEST(PromoteSlots, AJoinChoosesBetweenTheStores) {
  const Promoted p(R"(define i32 @f(i1 %c, i32 %x) {
  entry:
    %slot = alloca i32
    store i32 %x, ptr %slot
    br i1 %c, label %yes, label %join
  yes:
    store i32 7, ptr %slot
    br label %join
  join:
    %v = load i32, ptr %slot
    ret i32 %v
  })");
  ASSERT_EQ(p.count<PHINode>(), 1U);
  const auto& phi = cast<PHINode>(p.function->back().front());
  EXPECT_EQ(phi.getIncomingValueForBlock(&p.function->getEntryBlock()), p.function->getArg(1));
  EXPECT_EQ(cast<ConstantInt>(phi.getIncomingValueForBlock(p.function->getEntryBlock().getNextNode()))->getZExtValue(),
            7U);
}

TEST(PromoteSlots, WhatIsNotReadAgainNeedsNoPhi) {
  const Promoted p(R"(define void @f(i1 %c) {
  entry:
    %slot = alloca i32
    br i1 %c, label %yes, label %join
  yes:
    store i32 7, ptr %slot
    %v = load i32, ptr %slot
    call void @use(i32 %v)
    br label %join
  join:
    ret void
  })");
  EXPECT_EQ(p.count<PHINode>(), 0U);
}

TEST(PromoteSlots, ALoopCarriesItsValue) {
  const Promoted p(R"(define i32 @f(i32 %n) {
  entry:
    %slot = alloca i32
    %other = alloca i32
    store i32 0, ptr %slot
    br label %loop
  loop:
    %i = load i32, ptr %slot
    %next = add i32 %i, 1
    store i32 %next, ptr %slot
    store i32 %i, ptr %other
    %again = icmp slt i32 %next, %n
    br i1 %again, label %loop, label %out
  out:
    %last = load i32, ptr %other
    ret i32 %last
  })");
  ASSERT_EQ(p.count<PHINode>(), 1U);
  const auto* phi = cast<PHINode>(&p.function->getEntryBlock().getNextNode()->front());
  EXPECT_EQ(phi->getIncomingValueForBlock(phi->getParent()), p.named("next"));
  EXPECT_EQ(cast<ReturnInst>(p.function->back().getTerminator())->getReturnValue(), phi);
}

TEST(PromoteSlots, EachEdgeOfASwitchHasItsPlace) {
  const Promoted p(R"(define i32 @f(i32 %x) {
  entry:
    %slot = alloca i32
    store i32 1, ptr %slot
    switch i32 %x, label %other [ i32 3, label %join
                                  i32 4, label %join ]
  other:
    store i32 2, ptr %slot
    br label %join
  join:
    %v = load i32, ptr %slot
    ret i32 %v
  })");
  ASSERT_EQ(p.count<PHINode>(), 1U);
  EXPECT_EQ(cast<PHINode>(p.function->back().front()).getNumIncomingValues(), 3U);
}

TEST(PromoteSlots, WhatIsReadBeforeAnyStoreIsUndefined) {
  const Promoted p(R"(define i32 @f() {
    %slot = alloca i32
    %v = load i32, ptr %slot
    ret i32 %v
  })");
  EXPECT_TRUE(isa<UndefValue>(cast<ReturnInst>(p.function->back().getTerminator())->getReturnValue()));
}

TEST(PromoteSlots, SlotsThatSomebodyKnowsStay) {
  const Promoted p(R"(define i32 @f(ptr %where) {
    %known = alloca i32
    store ptr %known, ptr %where
    store i32 1, ptr %known
    %v = load i32, ptr %known
    ret i32 %v
  })");
  EXPECT_EQ(p.count<AllocaInst>(), 1U);
  EXPECT_EQ(p.count<LoadInst>(), 1U);
}

TEST(PromoteSlots, ThousandsAreDoneInTurn) {
  std::string body = "define i32 @f(i1 %c) {\nentry:\n", stores, loads;
  constexpr int count = 10000;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    body += "%s" + n + " = alloca i32\nstore i32 " + n + ", ptr %s" + n + "\n";
    stores += "store i32 0, ptr %s" + n + "\n";
    loads += "%l" + n + " = load i32, ptr %s" + n + "\ncall void @use(i32 %l" + n + ")\n";
  }
  body += "br i1 %c, label %yes, label %join\nyes:\n" + stores + "br label %join\njoin:\n" + loads + "ret i32 0\n}";
  const Promoted p(body);
  EXPECT_EQ(p.count<AllocaInst>() + p.count<LoadInst>() + p.count<StoreInst>(), 0U);
  EXPECT_EQ(p.count<PHINode>(), unsigned(count));
}

TEST(PromoteSlots, BlocksThatNothingReachesGo) {
  const Promoted p(R"(define i32 @f() {
  entry:
    %slot = alloca i32
    store i32 1, ptr %slot
    br label %out
  lost:
    store i32 2, ptr %slot
    br label %out
  out:
    %v = load i32, ptr %slot
    ret i32 %v
  })");
  EXPECT_EQ(p.function->size(), 2U);
  EXPECT_EQ(p.count<PHINode>(), 0U);
}

} // namespace
} // namespace tollgate::jit
