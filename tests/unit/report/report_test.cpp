#include "report/json.h"
#include "report/process_report.h"
#include "report/style.h"
#include "report/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tollgate::report {
namespace {

using observe::Finding;
using observe::Severity;
using observe::Side;

struct Folder {
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tollgate-report-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }
  std::string path;
};

Side side(const std::string& file, uint32_t line, uint32_t column, const std::string& role) {
  Side out;
  out.at.stack = {{file, line, column, "k(int*)"}};
  out.role = role;
  return out;
}

Finding sample(const std::string& file = "a.cu") {
  Finding finding;
  finding.rule = "barrier-divergent";
  finding.message = "they did not meet";
  finding.help = "move the barrier";
  finding.kernel = "k(int*)";
  finding.at = side(file, 2, 5, "threads 0-31 wait here");
  finding.others = {side(file, 4, 1, "threads 32-63 left here")};
  finding.notes = {"a note"};
  return finding;
}

const TextOptions plain{};

TEST(Json, RoundTrip) {
  Finding finding = sample();
  finding.at.access = "write";
  finding.at.bytes = 4;
  finding.at.object = "shared h +12";
  finding.at.thread = {{1, 2, 3}, {4, 5, 6}};
  finding.at.at.stack.push_back({"b.cu", 9, 0, "caller()"});
  finding.others.push_back(side("c.cu", 7, 7, "third"));
  const Json first = to_json(finding);
  const auto back = finding_from_json(first);
  ASSERT_TRUE(back);
  EXPECT_EQ(first.dump(), to_json(*back).dump());
  EXPECT_EQ(back->others.size(), 2u);
  EXPECT_EQ(first["at"]["line"], 2);
  EXPECT_EQ(first["other"]["at"]["line"], 4);
  EXPECT_EQ(first["thread"]["block"][2], 3);
}

TEST(Json, WrongTypesAreErrorsAndBadBytesAreNot) {
  EXPECT_FALSE(finding_from_json(Json::parse(R"({"rule": 5})")));
  EXPECT_FALSE(finding_from_json(Json::parse(R"({"rule": "x", "count": "many"})")));
  EXPECT_FALSE(finding_from_json(Json::parse("[]")));
  Finding finding = sample("caf\xe9.cu");
  EXPECT_NE(dump(to_json(finding)).find("caf"), std::string::npos);
}

TEST(FindingSet, SamePlacesAreOneFinding) {
  FindingSet set;
  set.add(sample());
  Finding swapped = sample();
  std::swap(swapped.at, swapped.others[0]);
  swapped.message = "said otherwise, of another block";
  swapped.count = 4;
  EXPECT_FALSE(set.add(swapped).fresh);
  ASSERT_EQ(set.all().size(), 1u);
  EXPECT_EQ(set.all()[0].count, 5u);
}

TEST(FindingSet, OtherRuleSeverityOrPlaceIsAnother) {
  FindingSet set;
  set.add(sample());
  Finding rule = sample(), severity = sample(), place = sample();
  rule.rule = "barrier-mismatch";
  severity.severity = Severity::Warning;
  place.others[0].at.stack[0].line = 5;
  for (const auto& finding : {rule, severity, place}) EXPECT_TRUE(set.add(finding).fresh);
  EXPECT_EQ(set.count(Severity::Error), 3u);
}

TEST(FindingSet, WithoutLinesThePtxLineTells) {
  FindingSet set;
  Finding a = sample(), b = sample();
  for (Finding* finding : {&a, &b}) finding->at.at.stack.clear();
  a.at.at.ptx_line = 10;
  b.at.at.ptx_line = 11;
  set.add(a);
  EXPECT_TRUE(set.add(b).fresh);
  EXPECT_FALSE(set.add(a).fresh);
}

TEST(Verdict, FollowsFromWhatIsThere) {
  Report report;
  EXPECT_EQ(report.verdict(), Verdict::Clean);
  Finding note = sample();
  note.severity = Severity::Note;
  report.findings.add(note);
  EXPECT_EQ(report.verdict(), Verdict::Clean);
  report.incomplete.push_back("x");
  EXPECT_EQ(report.verdict(), Verdict::Incomplete);
  Finding warning = sample();
  warning.severity = Severity::Warning;
  report.findings.add(warning);
  EXPECT_EQ(report.verdict(), Verdict::Incomplete);
  report.findings.add(sample());
  EXPECT_EQ(report.verdict(), Verdict::Findings);
  report.error = "x";
  EXPECT_EQ(report.verdict(), Verdict::Error);
}

TEST(Verdict, NotModelledIsANoteThatLeavesAGap) {
  Report report;
  Finding gap = sample();
  gap.rule = "not-modelled";
  gap.severity = Severity::Note;
  report.findings.add(gap);
  EXPECT_EQ(report.verdict(), Verdict::Incomplete);
}

TEST(ProcessReport, WrittenAsItHappensAndReadBack) {
  const Folder folder;
  auto sink = open_sink(folder.path + "/%p.jsonl", "prog");
  sink->report(sample());
  sink->report(sample());
  const std::string path = folder.path + "/" + std::to_string(getpid()) + ".jsonl";
  const auto early = read_process_report(path); // as if the process had been killed here
  ASSERT_TRUE(early);
  EXPECT_FALSE(early->finished);
  ASSERT_EQ(early->findings.size(), 1u);
  EXPECT_EQ(early->findings[0].count, 1u);

  sink->finish({{{"k", 2, 64, true}}, {"why"}});
  const auto done = read_process_report(path);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->finished);
  EXPECT_EQ(done->program, "prog");
  EXPECT_EQ(done->findings[0].count, 2u);
  EXPECT_EQ(done->summary.kernels[0].threads, 64u);
  EXPECT_TRUE(done->summary.kernels[0].approximate);
  EXPECT_EQ(done->summary.incomplete, std::vector<std::string>{"why"});
}

TEST(ProcessReport, AForkedChildHasItsOwnFile) {
  const Folder folder;
  auto sink = open_sink(folder.path + "/%p.jsonl", "prog");
  sink->report(sample());
  const pid_t child = fork();
  if (child == 0) {
    sink->report(sample());
    sink->finish({});
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const auto report = read_process_report(folder.path + "/" + std::to_string(child) + ".jsonl");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->pid, child);
  EXPECT_EQ(report->findings.size(), 1u);
  EXPECT_TRUE(report->finished);
}

TEST(ProcessReport, HalfALineAtTheEndIsForgiven) {
  const Folder folder;
  const std::string good = dump(Json{{"kind", "process"}, {"pid", 3}}) + "\n";
  EXPECT_TRUE(read_process_report(folder.write("cut", good + R"({"kind":"find)")));
  EXPECT_FALSE(read_process_report(folder.write("bad", "nonsense\n" + good)));
  EXPECT_FALSE(read_process_report(folder.write("type", R"({"kind":5})"
                                                        "\n" +
                                                            good)));
  EXPECT_FALSE(read_process_report(folder.path + "/missing"));
}

TEST(ExpandPid, PercentSigns) {
  EXPECT_EQ(expand_pid("a%p.%%p%", 7), "a7.%p%");
  EXPECT_EQ(expand_pid("plain", 7), "plain");
}

TEST(Text, TwoPlacesInOneFileShareAnExcerpt) {
  const Folder folder;
  const std::string file = folder.write("a.cu", "void k() {\n    __syncthreads();\n  x();\n}\n");
  EXPECT_EQ(render_finding(sample(file), plain), "error[barrier-divergent]: they did not meet\n"
                                                 " --> " +
                                                     file +
                                                     ":2:5 in k(int*)\n"
                                                     "  |\n"
                                                     "2 |     __syncthreads();\n"
                                                     "  |     ^^^^^^^^^^^^^ threads 0-31 wait here\n"
                                                     "3 |   x();\n"
                                                     "4 | }\n"
                                                     "  | - threads 32-63 left here\n"
                                                     "  |\n"
                                                     "  = kernel: k(int*)\n"
                                                     "  = help: move the barrier\n"
                                                     "  = note: a note\n");
}

TEST(Text, WithoutTheSourceTheLabelsRemain) {
  const std::string text = render_finding(sample("/nonexistent/a.cu"), plain);
  EXPECT_NE(text.find("= line 2: threads 0-31 wait here"), std::string::npos) << text;
  EXPECT_EQ(text.find('^'), std::string::npos);
}

TEST(Text, TheUsersOwnLineComesBeforeLibraryCode) {
  const Folder folder;
  const std::string file = folder.write("a.cu", "one\natomicAdd(p, 1);\nthree\n");
  Finding finding = sample(file);
  finding.others.clear();
  finding.at.at.stack = {{"/usr/local/cuda/include/atomics.hpp", 88, 3, "atomicAdd(int*, int)"},
                         {file, 2, 1, "k(int*)"},
                         {file, 3, 1, "outer()"}};
  const std::string text = render_finding(finding, plain);
  EXPECT_NE(text.find(" --> " + file + ":2:1 in k(int*)"), std::string::npos) << text;
  EXPECT_NE(text.find("= inside: /usr/local/cuda/include/atomics.hpp:88:3"), std::string::npos) << text;
  EXPECT_NE(text.find("= called from: " + file + ":3:1 in outer()"), std::string::npos) << text;
  EXPECT_EQ(to_json(finding)["at"]["line"], 2);
}

TEST(Text, TabsAndWideCharactersKeepTheMarkerInPlace) {
  const Folder folder;
  const std::string file = folder.write("a.cu", "\t/* \xed\x95\x9c */ f();\n");
  Finding finding = sample(file);
  finding.others.clear();
  finding.at.at.stack[0].line = 1;
  finding.at.at.stack[0].column = 12; // of f, in bytes
  const std::string text = render_finding(finding, plain);
  EXPECT_NE(text.find("1 |     /* \xed\x95\x9c */ f();\n  |              ^ threads"), std::string::npos) << text;
}

TEST(Text, TheMarkerMovesToTheBarrierCall) {
  const Folder folder;
  const std::string file = folder.write("a.cu", "\n  if (c) __syncthreads();\n");
  Finding finding = sample(file);
  finding.others.clear();
  finding.at.at.stack[0].column = 3;
  finding.at.at.instruction = "bar.sync";
  EXPECT_NE(render_finding(finding, plain).find("  |          ^^^^^^^^^^^^^ threads"), std::string::npos);
}

TEST(Text, ControlCharactersDoNotReachTheTerminal) { EXPECT_EQ(expand_tabs("a\x1b[2Jb\r"), "a?[2Jb"); }

TEST(Text, WithoutLineInformationTheReportSaysOnceHowToGetIt) {
  Report report;
  for (uint32_t line : {10u, 20u}) {
    Finding finding = sample();
    finding.others.clear();
    finding.at.at.stack.clear();
    finding.at.at.ptx_line = line;
    finding.at.at.instruction = "bar.sync";
    report.findings.add(finding);
  }
  const std::string text = render_report(report, plain);
  EXPECT_NE(text.find(" --> kernel k(int*), PTX line 10 (bar.sync)"), std::string::npos) << text;
  EXPECT_NE(text.find("-lineinfo"), std::string::npos);
  EXPECT_EQ(text.find("-lineinfo"), text.rfind("-lineinfo"));
}

TEST(Text, SummaryLines) {
  Report report;
  report.kernels = {{"a", 2, 64, false}, {"b", 3, 64, false}, {"c", 0, 0, false}};
  EXPECT_EQ(summary_line(report),
            "tollgate check: clean - 3 kernels, 5 launches, no finding for this input and schedule");
  report.findings.add(sample());
  EXPECT_EQ(summary_line(report), "tollgate: 1 error; verdict: findings");
  Report quiet;
  quiet.checked = false;
  EXPECT_EQ(render_report(quiet, plain), "");
}

TEST(Style, Wrapping) {
  EXPECT_EQ(wrap("aa bb cc dd", 8, 0, 2), "aa bb cc\n  dd");
  EXPECT_EQ(wrap("aa bb", 0, 0, 2), "aa bb");
  EXPECT_EQ(wrap("a_word_that_is_too_long b", 8, 0, 2), "a_word_that_is_too_long\n  b");
  EXPECT_EQ(display_width("a\xed\x95\x9c"), 3u);
  EXPECT_EQ(counted(1234567, "thread"), "1,234,567 threads");
}

} // namespace
} // namespace tollgate::report
