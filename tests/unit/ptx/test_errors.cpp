#include "ptx_test.h"

namespace tollgate::ptx {
namespace {

struct Case {
  const char* body;
  const char* message; // part of it
  const char* remedy;  // part of it
};

class Errors : public testing::TestWithParam<Case> {};

TEST_P(Errors, NamesPlaceAndRemedy) {
  const Error error = parse_error(kernel(GetParam().body));
  EXPECT_NE(error.message.find(GetParam().message), std::string::npos) << error.to_string();
  EXPECT_NE(error.remedy.find(GetParam().remedy), std::string::npos) << error.to_string();
  EXPECT_EQ(error.position.line, 6U) << error.to_string();
  EXPECT_GT(error.position.column, 0U);
  EXPECT_EQ(error.file, "test.ptx");
  EXPECT_FALSE(error.excerpt.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Ptx, Errors,
    testing::Values(Case{"addd.s32 %r0, %r1, %r2;", "unknown instruction 'addd'", "did you mean 'add'?"},
                    Case{"atom.global.ad.u32 %r0, [%d0], 1;", "'atom' has no modifier '.ad'", "did you mean '.add'?"},
                    Case{"add.s32.b32 %r0, %r1, %r2;", "has no modifier '.b32'", ""},
                    Case{"mul.s32 %r0, %r1, %r2;", "'mul.s32' is not a form of 'mul'", "mul.mode.type d, a, b"},
                    Case{"add.s32 %r0, %r1;", "operands do not fit 'add.s32'", "add.type d, a, b"},
                    Case{"ld.global.u32 [%d0], %r1;", "operands do not fit", "d, [a]"},
                    Case{"add.s32 %r0, %r99, 1;", "unknown register %r99", "declare it with .reg"},
                    Case{"mov.u64 %d0, nothing;", "unknown name 'nothing'", "declare it"},
                    Case{"bra nowhere;", "unknown label 'nowhere'", "define the label"},
                    Case{"@%r1 bra x;", "guard %r1 is not a predicate", ".reg .pred"},
                    Case{"add.s32 %r0, %p1, 1;", "predicate %p1 stands where a value is needed", "selp"},
                    Case{"selp.b32 %r0, %r1, %r2, %r3;", "%r3 is not a predicate", ".reg .pred"},
                    Case{"ld.u64 %r0, [%d0];", "narrower than .u64", "64 bits"},
                    Case{"ld.v2.u32 {%r0, %r1, %r2}, [%d0];", "has 3 elements, the instruction moves 2", ""},
                    Case{"mov.b64 {%r0, %h1}, %d0;", "48 bits together", ""},
                    Case{"mov.f32 %f0, 0f12;", "not a floating-point constant", "8 hexadecimal digits"},
                    Case{"mov.u32 %r0, 99999999999999999999;", "does not fit 64 bits", ""},
                    Case{"mov.u32 %r0, 1/0;", "division by zero", ""},
                    Case{"call missing, ();", "'missing' is not a function", "declare it"},
                    Case{".reg .b32 x; .reg .b32 x;", "declared twice", "rename"},
                    Case{".wrong 3;", "unknown directive '.wrong'", ""},
                    Case{"add.s32 %r0, %r1, 4", "does not end with ';'", "add ';'"},
                    Case{"add.s32 %r0 %r1, 4;", "expected ',' or ';'", ""},
                    Case{"mov.u32 %r0, 1; \"", "a string without end", ""}));

TEST(ErrorsOfModules, SayWhatIsMissing) {
  EXPECT_NE(parse_error("hello world").remedy.find("is this PTX?"), std::string::npos);
  EXPECT_NE(parse_error("").message.find(".version"), std::string::npos);
  EXPECT_NE(parse_error(".version 8.0 .target sm_80 .address_size 32").message.find("64-bit"), std::string::npos);
  EXPECT_NE(parse_error(with_header(".func f() { ret; }\n.func f() { ret; }")).message.find("defined twice"),
            std::string::npos);
  EXPECT_NE(parse_error(with_header(".func f(.param .b32 x) { ret; }\n.func g() { call f; }"))
                .message.find("passes 0 parameters"),
            std::string::npos);
  EXPECT_NE(parse_error(with_header(".global .b32 x[2] = {1, 2, 3};")).message.find("too many initial values"),
            std::string::npos);
  EXPECT_NE(parse_error(with_header(".entry k() { /* never closed")).message.find("comment without end"),
            std::string::npos);
}

} // namespace
} // namespace tollgate::ptx
