#include "report/process_report.h"

#include "base/tame_numbers.h"
#include "report/json.h"
#include "report/own_file.h"
#include "report/text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

namespace tollgate::report {

using observe::Finding;

namespace {

constexpr const char* process_schema = "tollgate-process/1";

class JsonLinesSink final : public ReportSink {
public:
  JsonLinesSink(std::string path, std::string program) : path_(std::move(path)), program_(std::move(program)) {
    open_for_this_process();
  }

  void report(Finding finding) override {
    const std::lock_guard lock(mutex_);
    if (pid_ != getpid()) open_for_this_process();
    const bool revised = finding.revised;
    const auto [id, fresh, kept] = seen_.add(std::move(finding));
    if (!kept) return;
    if (!fresh) { // the final count is written by finish()
      if (revised) revised_.insert(id);
      return;
    }
    first_count_.push_back(seen_.all()[id].count);
    append_finding(id);
  }

  void launched(const void* identity, const KernelSummary& kernel) override {
    const std::lock_guard lock(mutex_);
    if (pid_ != getpid()) open_for_this_process();
    const std::string numbers = padded_numbers(kernel);
    if (const auto known = numbers_at_.find(identity); known != numbers_at_.end()) {
      // A full disk does not matter here: the bytes are there already.
      if (const int file = numbers_file_.descriptor(); file >= 0) [[maybe_unused]]
        const ssize_t written = pwrite(file, numbers.data(), numbers.size(), known->second);
      return;
    }
    Json line = to_json(kernel);
    line.erase("launches");
    line.erase("threads");
    line["kind"] = "kernel";
    std::string text = dump(line);
    text.back() = ',';
    if (append_text(text + numbers + "}\n"))
      numbers_at_[identity] = lseek(file_.descriptor(), 0, SEEK_CUR) - static_cast<off_t>(numbers.size() + 2);
  }

  void finish(const ProcessSummary& summary) override {
    const std::lock_guard lock(mutex_);
    if (pid_ != getpid()) open_for_this_process();
    for (size_t id = 0; id < seen_.all().size(); ++id)
      if (revised_.contains(id))
        append_finding(id);
      else if (const uint64_t count = seen_.all()[id].count; count != first_count_[id])
        append({{"kind", "count"}, {"id", id}, {"count", count}});
    Json line = {{"kind", "summary"}, {"kernels", Json::array()}, {"incomplete", summary.incomplete}};
    if (seen_.dropped() != 0) line["dropped"] = seen_.dropped();
    for (const auto& kernel : summary.kernels) line["kernels"].push_back(to_json(kernel));
    append(line);
  }

private:
  void close_files() {
    file_.close();
    numbers_file_.close();
  }

  // As wide as the largest numbers, so that larger ones can be written over them.
  static std::string padded_numbers(const KernelSummary& kernel) {
    char text[80];
    std::snprintf(text, sizeof text, "\"launches\":%20llu,\"threads\":%20llu",
                  static_cast<unsigned long long>(kernel.launches), static_cast<unsigned long long>(kernel.threads));
    return text;
  }

  void open_for_this_process() {
    pid_ = getpid();
    numbers_at_.clear();
    seen_ = {};
    first_count_.clear();
    revised_.clear();
    const std::string path = expand_pid(path_, pid_);
    if (!file_.open(path, O_WRONLY | O_CREAT | O_APPEND))
      std::fprintf(stderr, "tollgate: cannot write the report %s: %s\n", path.c_str(), std::strerror(errno));
    numbers_file_.open(path, O_WRONLY); // writing to a place is not to be had from O_APPEND
    append({{"kind", "process"}, {"schema", process_schema}, {"pid", pid_}, {"program", program_}});
  }

  void append_finding(size_t id) {
    Json line = {{"kind", "finding"}, {"id", id}};
    line.update(to_json(seen_.all()[id]));
    // The disk is full: then at least the user's eyes get it.
    if (!append(line)) std::fprintf(stderr, "%s\n", render_finding(seen_.all()[id], {}).c_str());
  }

  // One write for one line: nothing is lost in a buffer if the process is killed. After a failure nothing is added
  // behind the half line: the reader takes what came before it, and misses the summary.
  bool append(const Json& json) { return append_text(dump(json) + "\n"); }

  bool append_text(const std::string& line) {
    const int file = file_.descriptor();
    if (file < 0) return false;
    for (size_t done = 0; done < line.size();) {
      const ssize_t written = write(file, line.data() + done, line.size() - done);
      if (written < 0 && errno != EINTR) {
        std::fprintf(stderr, "tollgate: cannot write the report %s: %s\n", expand_pid(path_, pid_).c_str(),
                     std::strerror(errno));
        close_files();
        return false;
      }
      if (written > 0) done += static_cast<size_t>(written);
    }
    return true;
  }

  std::string path_, program_;
  std::mutex mutex_;
  FindingSet seen_;
  std::vector<uint64_t> first_count_;       // as written with the finding, by id
  std::set<size_t> revised_;                // findings that are to be written once more, by id
  std::map<const void*, off_t> numbers_at_; // of each kernel, in the file
  pid_t pid_ = -1;
  OwnFile file_, numbers_file_;
};

// For a program that was started with our libcudart but without the command line.
class TextSink final : public ReportSink {
public:
  void report(Finding finding) override {
    const std::lock_guard lock(mutex_);
    const auto [id, fresh, kept] = seen_.add(std::move(finding));
    if (!fresh || !kept) return;
    const std::string text = render_finding(seen_.all()[id], TextOptions::for_stream(STDERR_FILENO, ColorMode::Auto));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  void launched(const void*, const KernelSummary&) override {}
  void finish(const ProcessSummary&) override {}

private:
  std::mutex mutex_;
  FindingSet seen_;
};

Error bad_line(const std::string& path, unsigned line, const std::string& message) {
  Error error;
  error.message = message;
  error.file = path;
  error.position.line = line;
  return error;
}

// Lines of one file. A process that starts another program in its own place (exec) goes on in the same file.
class Reader {
public:
  Result<void> take(const Json& json);

  ProcessReport finish() {
    keep_launches();
    return std::move(report_);
  }

private:
  // Without a summary, what was launched is what is known.
  void keep_launches() {
    auto& kernels = report_.summary.kernels;
    kernels.insert(kernels.end(), launched_.begin(), launched_.end());
    launched_.clear();
  }

  Result<void> take_summary(const Json& json);

  ProcessReport report_;
  std::vector<KernelSummary> launched_;
  size_t first_id_ = 0; // of the program that writes now
  bool begun_ = false;
};

Result<void> Reader::take(const Json& json) {
  ProcessReport& report = report_;
  const std::string kind = json.value("kind", "");
  if (kind == "process") {
    report.replaced |= begun_ && !report.finished;
    begun_ = true;
    report.finished = false;
    first_id_ = report.findings.size();
    keep_launches();
    report.pid = json.value("pid", 0L);
    report.program = json.value("program", "");
  } else if (kind == "finding") {
    auto finding = finding_from_json(json);
    if (!finding) return finding.error();
    const size_t id = first_id_ + json.value("id", report.findings.size() - first_id_);
    if (id < report.findings.size())
      report.findings[id] = std::move(*finding); // said again, with more threads
    else
      report.findings.push_back(std::move(*finding));
  } else if (kind == "count") {
    const size_t id = first_id_ + json.value("id", size_t{0});
    if (id < report.findings.size()) report.findings[id].count = json.value("count", uint64_t{1});
  } else if (kind == "kernel") {
    auto kernel = kernel_from_json(json);
    if (!kernel) return kernel.error();
    launched_.push_back(std::move(*kernel));
  } else if (kind == "summary") {
    return take_summary(json);
  }
  return {};
}

Result<void> Reader::take_summary(const Json& json) {
  launched_.clear();
  report_.finished = true;
  for (auto& reason : json.value("incomplete", std::vector<std::string>{}))
    report_.summary.incomplete.push_back(std::move(reason));
  report_.dropped += json.value("dropped", uint64_t{0});
  for (const auto& entry : json.value("kernels", Json::array())) {
    auto kernel = kernel_from_json(entry);
    if (!kernel) return kernel.error();
    report_.summary.kernels.push_back(std::move(*kernel));
  }
  return {};
}

} // namespace

std::unique_ptr<ReportSink> open_sink(const std::string& path, const std::string& program) {
  if (path.empty()) return std::make_unique<TextSink>();
  return std::make_unique<JsonLinesSink>(path, program);
}

Result<ProcessReport> read_process_report(const std::string& path) {
  std::ifstream file(path);
  if (!file) return bad_line(path, 0, "cannot read the report");
  return read_process_report(file, path);
}

Result<ProcessReport> read_process_report(std::istream& file, const std::string& path) {
  Reader reader;
  std::string text;
  for (unsigned number = 1; std::getline(file, text); ++number) {
    if (text.empty()) continue;
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    tame_numbers(json);
    // A process that was killed may leave half a line behind: what came before it still counts.
    if (json.is_discarded() || !json.is_object()) {
      if (file.peek() == std::istream::traits_type::eof()) break;
      return bad_line(path, number, "this line of the report is not JSON");
    }
    try {
      if (auto taken = reader.take(json); !taken) return bad_line(path, number, taken.error().message);
    } catch (const Json::exception& problem) {
      return bad_line(path, number, problem.what());
    }
  }
  return reader.finish();
}

std::string expand_pid(const std::string& pattern, long pid) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && (next == 'p' || next == '%')) {
      out += next == 'p' ? std::to_string(pid) : "%";
      ++i;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

} // namespace tollgate::report
