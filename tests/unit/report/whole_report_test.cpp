// Reports as a whole: bounds, what is written and read back, and names that survive changes.
#include "report/fingerprint.h"
#include "report/process_report.h"
#include "report/read.h"
#include "report/sarif.h"
#include "report/text.h"
#include "report/write_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tollgate::report {
namespace {

using observe::Finding;
using observe::Severity;

struct Folder {
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tollgate-report-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

Finding at_line(uint32_t line, const std::string& file = "a.cu") {
  Finding finding;
  finding.rule = "race-shared";
  finding.message = "two threads meet";
  finding.kernel = "k(int*)";
  finding.at.at.stack = {{file, line, 3, "k(int*)"}};
  return finding;
}

TEST(FindingSet, IsBoundedForEachSeverity) {
  FindingSet set;
  for (uint32_t line = 1; line <= FindingSet::most_kept + 5; ++line)
    EXPECT_EQ(set.add(at_line(line)).kept, line <= FindingSet::most_kept);
  EXPECT_EQ(set.dropped(), 5u);
  EXPECT_FALSE(set.add(at_line(1)).fresh);
  Finding note = at_line(1);
  note.severity = Severity::Note;
  EXPECT_TRUE(set.add(note).kept);
  EXPECT_EQ(set.count(Severity::Error), FindingSet::most_kept);
}

TEST(FindingSet, PlacesOfOneFindingAreBounded) {
  FindingSet set;
  Finding finding = at_line(1);
  for (uint32_t line = 2; line < 1000; ++line) finding.others.push_back(at_line(line).at);
  set.add(finding);
  EXPECT_EQ(set.all()[0].others.size(), FindingSet::most_places - 1);
  EXPECT_EQ(set.all()[0].notes, std::vector<std::string>{"935 more places are left out here"});
}

TEST(FindingSet, ARevisionReplacesTheTextAndAddsTheCount) {
  FindingSet set;
  set.add(at_line(1));
  Finding again = at_line(1);
  again.at.threads = "threads 0-99";
  again.count = 99;
  again.revised = true;
  set.add(again);
  EXPECT_EQ(set.all()[0].at.threads, "threads 0-99");
  EXPECT_EQ(set.all()[0].count, 100u);
}

TEST(ProcessReport, ARevisionIsWrittenOnceMore) {
  const Folder folder;
  auto sink = open_sink(folder.path + "/r", "prog");
  sink->report(at_line(1));
  Finding again = at_line(1);
  again.at.threads = "threads 0-99";
  again.revised = true;
  sink->report(again);
  EXPECT_EQ(read_process_report(folder.path + "/r")->findings[0].at.threads, "");
  sink->finish({});
  const auto report = read_process_report(folder.path + "/r");
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(report->findings[0].at.threads, "threads 0-99");
  EXPECT_EQ(report->findings[0].count, 2u);
}

TEST(ProcessReport, AFullDiskPutsFindingsBeforeTheUser) {
  testing::internal::CaptureStderr();
  auto sink = open_sink("/dev/full", "prog");
  sink->report(at_line(7));
  sink->finish({});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("No space left"), std::string::npos) << said;
  EXPECT_NE(said.find("error[race-shared]: two threads meet"), std::string::npos) << said;
}

TEST(Fingerprint, FollowsTheTextOfTheLine) {
  const Folder folder;
  const std::string file = folder.path + "/a.cu";
  const auto print = [&](const std::string& text, uint32_t line, const std::string& rule = "race-shared") {
    std::ofstream(file) << text;
    SourceCache sources;
    Finding finding = at_line(line, file);
    finding.rule = rule;
    return fingerprint(finding, sources);
  };
  const std::string first = print("x = y;\n", 1);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(print("\n\n  x  =  y;\n", 3), first);
  EXPECT_NE(print("x = z;\n", 1), first);
  EXPECT_NE(print("x = y;\n", 1, "race-global"), first);
}

TEST(Fingerprint, DoesNotDependOnWhichOfTwoCameFirst) {
  SourceCache sources;
  Finding finding = at_line(1), swapped = at_line(2);
  finding.others = {swapped.at};
  swapped.others = {finding.at};
  EXPECT_EQ(fingerprint(finding, sources), fingerprint(swapped, sources));
}

Report whole() {
  Report report;
  report.program = "prog";
  report.exit_code = 99;
  report.shard = "1/2";
  report.findings.add(at_line(1));
  report.known = {at_line(2)};
  report.suppressed = {{at_line(3), true, "a.cu:3", "why"}, {at_line(4), false, "f:1", "why not"}};
  report.compared = true;
  report.kernels = {{"k", 1, 32, true}};
  report.incomplete = {"something"};
  report.remarks = {"a remark"};
  report.findings.add_dropped(3);
  return report;
}

TEST(Reports, ComeBackFromJsonAndSarif) {
  const Report report = whole();
  SarifOptions options;
  options.root = "/";
  const std::string expected = dump(to_json(report));
  for (const std::string& text : {dump(to_json(report), 2), dump(to_sarif(report, options), 2)}) {
    const auto back = parse_report(text, "r");
    ASSERT_TRUE(back) << back.error().to_string();
    EXPECT_EQ(dump(to_json(*back)), expected);
  }
}

TEST(Reports, CutTextsAreErrorsAndNeverCrashes) {
  const std::string text = dump(to_json(whole()));
  for (size_t cut = 0; cut < text.size(); cut += 7) EXPECT_FALSE(parse_report(text.substr(0, cut), "r")) << cut;
}

TEST(Reports, MergingAddsCounts) {
  Report one = whole();
  one.merge(whole());
  EXPECT_EQ(one.findings.all()[0].count, 2u);
  EXPECT_EQ(one.known[0].count, 2u);
  EXPECT_EQ(one.suppressed.size(), 2u);
  EXPECT_EQ(one.suppressed[0].finding.count, 2u);
  EXPECT_EQ(one.kernels[0].launches, 2u);
  EXPECT_EQ(one.remarks.size(), 1u);
  EXPECT_EQ(one.findings.dropped(), 6u);
  EXPECT_EQ(one.program, "prog");
}

TEST(Verdict, KnownFindingsAreFindings) {
  Report report;
  report.known = {at_line(1)};
  EXPECT_EQ(report.verdict(), Verdict::Findings);
  Report quiet;
  quiet.suppressed = {{at_line(1), true, "", ""}};
  EXPECT_EQ(quiet.verdict(), Verdict::Clean);
}

TEST(WriteWhole, ReplacesOrLeavesAlone) {
  const Folder folder;
  const std::string path = folder.path + "/out";
  ASSERT_TRUE(write_whole(path, "one"));
  ASSERT_TRUE(write_whole(path, "two"));
  EXPECT_EQ(*read_file(path), "two");
  EXPECT_FALSE(write_whole(folder.path, "x"));
  EXPECT_FALSE(write_whole(folder.path + "/no/such", "x"));
  EXPECT_FALSE(write_whole("/dev/full", "x"));
  EXPECT_TRUE(write_whole("/dev/null", "x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

TEST(Text, DetailsAreForThoseWhoAsk) {
  Finding finding = at_line(1);
  finding.details = {"threads 0-31: waiting"};
  TextOptions options;
  EXPECT_EQ(render_finding(finding, options).find("threads 0-31"), std::string::npos);
  EXPECT_NE(render_finding(finding, options).find("--verbose"), std::string::npos);
  options.verbose = true;
  EXPECT_NE(render_finding(finding, options).find("= state: threads 0-31: waiting"), std::string::npos);
}

} // namespace
} // namespace tollgate::report
