#include "ptx_test.h"

namespace tollgate::ptx {
namespace {

TEST(Functions, ScopesShadowNames) {
  const ModulePtr module =
      parse_ok(kernel("mov.u32 %r0, 1; { .reg .b64 %r0; mov.u64 %r0, 2; L: bra L; } { L: bra L; } mov.u32 %r0, 3;"));
  const Function& function = module->functions[0];
  EXPECT_NE(function.instructions[0].operands[0].reg, function.instructions[1].operands[0].reg);
  EXPECT_EQ(function.instructions[0].operands[0].reg, function.instructions[4].operands[0].reg);
  EXPECT_EQ(function.registers[function.instructions[1].operands[0].reg].type, Type::B64);
  EXPECT_EQ(function.labels[function.instructions[2].operands[0].label].instruction, 2U);
  EXPECT_EQ(function.labels[function.instructions[3].operands[0].label].instruction, 3U);
}

TEST(Functions, OnlyNamedRegistersOfARangeExist) {
  const ModulePtr module =
      parse_ok(header + ".entry k() { .reg .b32 %r<4000000000>; .reg .b32 %x1<3>; mov.u32 %r3999999999, %x12; ret; }");
  EXPECT_EQ(module->functions[0].registers.size(), 2U);
}

TEST(Functions, CallsHaveFourOperands) {
  const ModulePtr module = parse_ok(data_file("calls.ptx"));
  const Function* caller = module->find_function("caller");
  ASSERT_NE(caller, nullptr);
  std::vector<const Instruction*> calls;
  for (const Instruction& each : caller->instructions) {
    if (each.form->opcode == Opcode::Call) calls.push_back(&each);
  }
  ASSERT_EQ(calls.size(), 5U);
  for (const Instruction* call : calls) EXPECT_EQ(call->operands.size(), 4U);
  EXPECT_EQ(calls[0]->operands[1].symbol->kind, SymbolKind::Function);
  EXPECT_TRUE(calls[0]->mods.uni);
  EXPECT_EQ(calls[0]->operands[0].list.size(), 1U);
  EXPECT_EQ(calls[0]->operands[2].list.size(), 2U);
  EXPECT_EQ(calls[1]->operands[2].list.size(), 0U);
  EXPECT_EQ(calls[2]->operands[1].kind, Operand::Kind::Register);
  EXPECT_EQ(calls[2]->operands[3].kind, Operand::Kind::Prototype);
  EXPECT_EQ(calls[3]->operands[3].kind, Operand::Kind::Prototype);
  EXPECT_TRUE(caller->prototypes[calls[4]->operands[3].label].noreturn);
  // Parameters of the same name in two call scopes are two variables.
  EXPECT_NE(calls[0]->operands[2].list[0].symbol->index, calls[2]->operands[2].list[0].symbol->index);
  const Function* defined = module->find_function("helper");
  EXPECT_FALSE(defined->is_declaration);
  EXPECT_EQ(std::count_if(module->functions.begin(), module->functions.end(),
                          [](const Function& f) { return f.name == "helper"; }),
            1);
}

TEST(Functions, ParametersInRegisters) {
  const std::string text = ".func (.reg .b32 r) f(.reg .b32 x, .param .b32 y) { add.u32 r, x, x; ret; }\n";
  const ModulePtr module = parse_ok(header + text);
  const Function& function = module->functions[0];
  EXPECT_EQ(function.params[0].space, Space::Reg);
  EXPECT_EQ(function.params[1].reg, -1);
  ASSERT_EQ(function.registers.size(), 2U);
  EXPECT_EQ(function.instructions[0].operands[0].reg, function.return_params[0].reg);
  EXPECT_EQ(function.instructions[0].operands[1].reg, function.params[0].reg);
  const std::string printed = print(*module);
  EXPECT_NE(printed.find("(.reg .b32 r) f(.reg .b32 x, .param .b32 y)"), std::string::npos) << printed;
  EXPECT_EQ(print(*parse_ok(printed)), printed);
  const Error error = parse_error(header + ".entry k(.reg .b32 x) { ret; }");
  EXPECT_NE(error.message.find("a kernel has no parameters in registers"), std::string::npos) << error.to_string();
}

TEST(Functions, BranchTargetsBecomeLabels) {
  const ModulePtr module =
      parse_ok(kernel("ts: .branchtargets A, B; @%p0 brx.idx %r0, ts; A: add.s32 %r0, %r0, 1; B:"));
  const Operand& targets = module->functions[0].instructions[0].operands[1];
  ASSERT_EQ(targets.kind, Operand::Kind::LabelList);
  EXPECT_EQ(module->functions[0].labels[targets.list[1].label].instruction, 2U);
}

TEST(Functions, LaunchBounds) {
  const ModulePtr module = parse_ok(
      header +
      ".visible .entry k(.param .u64 .ptr .global .align 1 p, .param .align 4 .b8 s[84])\n.maxntid 256, 1, 1\n"
      ".minnctapersm 2\n.maxnreg 32 .explicitcluster .reqnctapercluster 2 { ret; }\n.func f() .noreturn { trap; }");
  const Function& entry = module->functions[0];
  EXPECT_EQ(entry.maxntid, (std::array<uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(entry.reqnctapercluster[0], 2U);
  EXPECT_TRUE(entry.explicit_cluster);
  EXPECT_EQ(entry.minnctapersm, 2U);
  EXPECT_TRUE(entry.params[0].is_pointer);
  EXPECT_EQ(entry.params[1].size, 84U);
  EXPECT_EQ(entry.params[1].align, 4U);
  EXPECT_TRUE(module->functions[1].noreturn);
}

TEST(Functions, AnAliasReachesItsFunction) {
  const ModulePtr module = parse_ok(header + ".func real() { ret; }\n.func other();\n.alias other, real;\n");
  EXPECT_FALSE(module->find_function("other")->is_declaration);
}

} // namespace
} // namespace tollgate::ptx
