#include "ptx/form_pattern.h"
#include "ptx/isa.h"
#include "ptx_test.h"

namespace tollgate::ptx {
namespace {

TEST(Table, EveryOpcodeHasARow) {
  std::vector<bool> seen(opcode_count());
  for (const InstForm& form : inst_table()) seen[static_cast<size_t>(form.opcode)] = true;
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i]) << to_string(static_cast<Opcode>(i));
}

TEST(Table, RowsAreWellFormed) {
  for (const FormPattern& pattern : form_patterns()) {
    const InstForm& form = *pattern.form;
    EXPECT_TRUE(form.syntax.starts_with(form.name)) << form.syntax;
    EXPECT_TRUE(form.section.starts_with("9.7.")) << form.syntax;
    EXPECT_EQ(pattern.open, form.syntax.ends_with("...")) << form.syntax;
    // Every slot that has values is used by the syntax, else a row silently accepts less than it says.
    std::string_view slots = form.slots;
    while (!slots.empty()) {
      const auto name = slots.substr(0, slots.find('='));
      EXPECT_NE(form.syntax.find("." + std::string(name)), std::string_view::npos) << form.syntax << ": " << name;
      const auto next = slots.find("; ");
      slots = next == std::string_view::npos ? "" : slots.substr(next + 2);
    }
  }
}

// Each row's first spelling decodes, and prints back as itself.
TEST(Table, SpellingIsTheInverseOfMatching) {
  for (const FormPattern& pattern : form_patterns()) {
    for (const bool with_optional : {false, true}) {
      std::vector<std::string_view> words;
      for (const ModSlot& slot : pattern.slots) {
        if (!slot.optional || with_optional) words.push_back(slot.values.front().text);
      }
      Modifiers mods;
      ASSERT_TRUE(match_modifiers(pattern, words, mods)) << pattern.form->syntax;
      std::string expected(pattern.form->name);
      const bool always_aligned = pattern.form->implied.find("aligned") != std::string_view::npos;
      for (const std::string_view word : words) {
        if (!always_aligned || word != "aligned") expected.append(".").append(word);
      }
      EXPECT_EQ(spell(pattern, mods), expected);
    }
  }
}

TEST(Table, DestinationsAreKnown) {
  EXPECT_TRUE(writes_first_operand(*one("add.s32 %r0, %r1, %r2;").form));
  EXPECT_TRUE(writes_first_operand(*one("setp.eq.s32 %p0, %r1, %r2;").form));
  EXPECT_TRUE(writes_first_operand(*one("bfi.b32 %r0, %r1, %r2, 3, 4;").form));
  EXPECT_FALSE(writes_first_operand(*one("st.u32 [%d0], %r1;").form));
  EXPECT_FALSE(writes_first_operand(*one("bar.sync 0;").form));
  EXPECT_FALSE(writes_first_operand(*one("red.add.u32 [%d0], 1;").form));
}

TEST(Table, ListingFindsForms) {
  EXPECT_NE(list_forms("vote").find("vote.sync.op.pred"), std::string::npos);
  EXPECT_EQ(list_forms("vote").find("atom"), std::string::npos);
  EXPECT_NE(coverage_markdown().find("## 9.7.13"), std::string::npos);
}

} // namespace
} // namespace tollgate::ptx
