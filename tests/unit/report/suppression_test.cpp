#include "report/suppression.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace tollgate::report {
namespace {

constexpr std::array<std::string_view, 3> rules{"race-shared", "race-global", "not-modelled"};

Result<std::vector<Suppression>> parse(std::string_view text) { return parse_suppressions(text, "f", rules); }

TEST(Suppressions, AreReadWithCommentsSpacesAndCarriageReturns) {
  const auto entries = parse("# first\r\n\r\n [race-shared]  # here\r\n kernel=k<int>(int*) \r\nat = dir/a "
                             "b.cu:4-9\r\nreason = see #12 # and that\r\n"
                             "[race-global]\nat = x.cu\nreason = y");
  ASSERT_TRUE(entries) << entries.error().to_string();
  ASSERT_EQ(entries->size(), 2u);
  const Suppression& first = entries->front();
  EXPECT_EQ(first.rule, "race-shared");
  EXPECT_EQ(first.kernel, "k<int>(int*)");
  EXPECT_EQ(first.file, "dir/a b.cu");
  EXPECT_EQ(first.first_line, 4u);
  EXPECT_EQ(first.last_line, 9u);
  EXPECT_EQ(first.reason, "see");
  EXPECT_EQ(first.origin, "f:3");
  EXPECT_EQ(entries->back().origin, "f:7");
  EXPECT_EQ(entries->back().first_line, 0u);
}

TEST(Suppressions, NothingIsNoEntry) {
  for (const char* text : {"", "\n\n", "# only this", "\r\n"}) {
    const auto entries = parse(text);
    ASSERT_TRUE(entries);
    EXPECT_TRUE(entries->empty());
  }
}

TEST(Suppressions, ErrorsPointAtTheirPlace) {
  const auto entries = parse("[race-shared]\nkernel = *\nreason = x\n  bogus = y\n");
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().to_string(),
            "f:4:3: there is no key bogus\n    bogus = y\n    ^\n  help: the keys are kernel, at and reason");
}

// Whatever bytes come, the answer is entries or an error.
TEST(Suppressions, CutAndChangedTextsAreAnswered) {
  const std::string good = "[race-shared]\nkernel = k*\nat = a.cu:1-2\nreason = x\n";
  for (size_t cut = 0; cut <= good.size(); ++cut)
    for (const char c : {'\0', '[', ']', '=', ':', '-', '#', '\n', '\xff'}) {
      std::string text = good.substr(0, cut) + c + good.substr(std::min(good.size(), cut + 1));
      const auto entries = parse(text);
      EXPECT_TRUE(entries || !entries.error().remedy.empty()) << text;
    }
}

TEST(Suppressions, PathsMatchByWholeComponents) {
  observe::Finding finding;
  finding.rule = "race-shared";
  finding.at.at.stack = {{"/usr/include/lib.h", 3, 1, "lib"}, {"/home/u/p/src/a.cu", 7, 1, "k"}};
  Suppression entry;
  entry.rule = "race-shared";
  for (const auto& [file, matches] : std::map<std::string, bool>{{"a.cu", true},
                                                                 {"src/a.cu", true},
                                                                 {"./src/a.cu", true},
                                                                 {"/home/u/p/src/a.cu", true},
                                                                 {"rc/a.cu", false},
                                                                 {"lib.h", false}}) {
    entry.file = file;
    EXPECT_EQ(entry.matches(finding), matches) << file;
  }
  entry.file = "a.cu";
  entry.first_line = entry.last_line = 8;
  EXPECT_FALSE(entry.matches(finding));
  finding.others.push_back(finding.at);
  finding.others[0].at.stack[1].line = 8;
  EXPECT_TRUE(entry.matches(finding)); // either place of a pair
}

TEST(Patterns, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*c?", "abcbcd"));
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_FALSE(matches_pattern("a?", "a"));
  EXPECT_FALSE(matches_pattern("*b", "abc"));
  // A pattern that backtracking would take for ever on.
  EXPECT_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*a*a*b", std::string(100000, 'a')));
}

TEST(Allowances, OnlyCommentsThatBeginWithTheMark) {
  for (const char* line : {"", "tollgate: allow race-shared x", "// see tollgate: allow race-shared x",
                           "\"// tollgate\"", "// tollgate: forbid"})
    EXPECT_FALSE(parse_allowance(line, rules).operator*().has_value()) << line;
  const auto parsed = parse_allowance("f(); //tollgate: allow race-shared,race-global because\r", rules);
  ASSERT_TRUE(parsed && *parsed);
  EXPECT_EQ((*parsed)->rules, (std::vector<std::string>{"race-shared", "race-global"}));
  EXPECT_EQ((*parsed)->reason, "because");
}

TEST(Names, TheClosestOneIsOffered) {
  EXPECT_EQ(closest("race-shred", rules), "race-shared");
  EXPECT_EQ(closest("something-else", rules), "");
  EXPECT_EQ(closest(std::string(10000, 'x'), rules), "");
}

} // namespace
} // namespace tollgate::report
