#include "report/text.h"

#include "report/place.h"
#include "report/source.h"
#include "report/style.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tollgate::report {

using observe::Finding;
using observe::Place;
using observe::Severity;
using observe::Side;
using observe::SourceFrame;

TextOptions TextOptions::for_stream(int descriptor, ColorMode mode) {
  TextOptions options;
  const bool terminal = isatty(descriptor) != 0;
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = (no_color != nullptr && *no_color != '\0') || (term != nullptr && std::strcmp(term, "dumb") == 0);
  options.color = mode == ColorMode::Always || (mode == ColorMode::Auto && terminal && !plain);
  winsize size{};
  if (terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) options.width = size.ws_col;
  return options;
}

namespace {

Style style_of(Severity severity) {
  switch (severity) {
  case Severity::Note: return Style::Note;
  case Severity::Warning: return Style::Warning;
  case Severity::Error: return Style::Error;
  }
  return Style::Error;
}

// Compilers write absolute paths; below the present folder the rest is enough.
std::string shown_path(const std::string& file) {
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string() + "/";
  return here.size() > 1 && file.starts_with(here) ? file.substr(here.size()) : file;
}

// The same for paths within a text.
std::string without_present_folder(std::string text) {
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string() + "/";
  for (size_t at = 0; here.size() > 1 && (at = text.find(here, at)) != std::string::npos;) text.erase(at, here.size());
  return text;
}

// Source names of the instructions whose exact place in a line is worth finding.
std::vector<std::string> calls_for(const std::string& instruction) {
  if (instruction.starts_with("bar.sync") || instruction.starts_with("barrier") || instruction.starts_with("bar.red"))
    return {"__syncthreads"};
  return {};
}

std::string position(const SourceFrame& frame) {
  std::string out = shown_path(frame.file) + ":" + std::to_string(frame.line);
  if (frame.column != 0) out += ":" + std::to_string(frame.column);
  return out;
}

// A template instance may have a name of several hundred characters.
std::string shorten(const std::string& text) {
  constexpr size_t limit = 100;
  return text.size() <= limit ? text : text.substr(0, limit - 3) + "...";
}

std::string position_in(const SourceFrame& frame) {
  return position(frame) + (frame.function.empty() ? "" : " in " + shorten(frame.function));
}

class FindingPrinter {
public:
  FindingPrinter(const Finding& finding, const TextOptions& options) : finding_(finding), options_(options) {
    for (const Side* side : sides())
      if (has_line(side->at)) largest_line_ = std::max(largest_line_, side->at.stack[shown_frame(side->at)].line);
    gutter_ = static_cast<unsigned>(std::to_string(largest_line_).size());
  }

  std::string print() {
    headline();
    std::vector<const Side*> rest = sides();
    for (bool first = true; !rest.empty(); first = false) snippet(rest, first);
    for (const Side* side : sides()) stack(*side);
    facts();
    return std::move(out_);
  }

private:
  std::vector<const Side*> sides() const {
    std::vector<const Side*> all{&finding_.at};
    for (const auto& other : finding_.others) all.push_back(&other);
    return all;
  }

  void headline() {
    const std::string tag = std::string(name(finding_.severity)) + "[" + finding_.rule + "]";
    const unsigned used = static_cast<unsigned>(tag.size()) + 2;
    out_ += paint(tag, style_of(finding_.severity), options_.color) + paint(": ", Style::Bold, options_.color) +
            paint(wrap(finding_.message, options_.width, used, 2), Style::Bold, options_.color) + "\n";
  }

  // Takes from `rest` its first side and all others in the same file: they share one excerpt.
  void snippet(std::vector<const Side*>& rest, bool first) {
    const Side& lead = *rest.front();
    const std::string arrow = first ? "--> " : "::: ";
    const std::string margin = std::string(gutter_, ' ') + paint(arrow, Style::Gutter, options_.color);
    if (!has_line(lead.at)) {
      // A host call has no place in device code: its site stands in `object`.
      const std::string where = lead.at.ptx_line != 0 ? ptx_position(lead.at) : lead.object;
      if (!where.empty()) out_ += margin + where + "\n";
      if (!lead.role.empty()) fact("here", lead.role, Style::Bold);
      rest.erase(rest.begin());
      return;
    }
    const SourceFrame& frame = lead.at.stack[shown_frame(lead.at)];
    out_ += margin + position_in(frame) + "\n";

    std::vector<Mark> marks;
    std::vector<const Side*> later;
    for (const Side* side : rest) {
      const bool same_file = has_line(side->at) && side->at.stack[shown_frame(side->at)].file == frame.file;
      if (!same_file) {
        later.push_back(side);
        continue;
      }
      const SourceFrame& at = side->at.stack[shown_frame(side->at)];
      marks.push_back({at.line, at.column, side->role, side == &finding_.at, calls_for(side->at.instruction)});
    }
    rest = std::move(later);
    const std::string text =
        excerpt(sources_, frame.file, marks, {style_of(finding_.severity), options_.color, gutter_, options_.width});
    out_ += text;
    if (!text.empty()) out_ += paint(std::string(gutter_, ' ') + " |", Style::Gutter, options_.color) + "\n";
    if (text.empty())
      for (const auto& mark : marks)
        if (!mark.label.empty()) fact("line " + std::to_string(mark.line), mark.label, Style::Bold);
  }

  std::string ptx_position(const Place& place) const {
    if (place.ptx_line == 0) return "";
    std::string out = "kernel " + shorten(finding_.kernel) + ", PTX line " + std::to_string(place.ptx_line);
    if (!place.ptx_name.empty()) out += " of " + place.ptx_name;
    if (!place.instruction.empty()) out += " (" + place.instruction + ")";
    return out;
  }

  // Frames other than the one shown: library code inside of it, then the callers.
  void stack(const Side& side) {
    const auto& frames = side.at.stack;
    if (frames.size() < 2) return;
    const size_t shown = shown_frame(side.at);
    if (&side != &finding_.at) fact("for", position(frames[shown]), Style::Bold);
    for (size_t i = shown; i-- > 0;) fact("inside", position_in(frames[i]), Style::Bold);
    for (size_t i = shown + 1; i < frames.size(); ++i) fact("called from", position_in(frames[i]), Style::Bold);
  }

  void facts() {
    const std::string kernel = shorten(finding_.kernel);
    const std::string seen = finding_.count > 1 ? "seen " + counted(finding_.count, "time") : "";
    if (kernel.empty() && !seen.empty()) fact("note", seen, Style::Note);
    if (!kernel.empty()) fact("kernel", kernel + (seen.empty() ? "" : "; " + seen), Style::Bold);
    const bool placed = has_line(finding_.at.at) || finding_.at.at.ptx_line != 0;
    if (placed && !finding_.at.object.empty()) fact("object", finding_.at.object, Style::Bold);
    if (!finding_.help.empty()) fact("help", finding_.help, Style::Help);
    for (const auto& note : finding_.notes) fact("note", note, Style::Note);
    if (!finding_.details.empty() && !options_.verbose)
      fact("note", "--verbose shows the state of every thread", Style::Note);
    for (const auto& detail : finding_.details)
      if (options_.verbose) fact("state", without_present_folder(detail), Style::Bold);
  }

  void fact(const std::string& label, const std::string& text, Style style) {
    const unsigned margin = gutter_ + 3;
    const unsigned used = margin + static_cast<unsigned>(label.size()) + 2;
    out_ += std::string(gutter_ + 1, ' ') + paint("= ", Style::Gutter, options_.color) +
            paint(label + ":", style, options_.color) + " " + wrap(text, options_.width, used, used) + "\n";
  }

  const Finding& finding_;
  const TextOptions& options_;
  SourceCache sources_;
  unsigned largest_line_ = 0, gutter_ = 1;
  std::string out_;
};

bool lacks_lines(const Finding& finding) { return !has_line(finding.at.at) && finding.at.at.ptx_line != 0; }

void put_count(std::string& out, size_t number, const std::string& text) {
  if (number != 0) out += (out.empty() ? "" : ", ") + text;
}

std::string list_of_counts(const Report& report) {
  std::string out;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    const size_t number = report.count(severity);
    put_count(out, number, counted(number, name(severity)));
  }
  if (!report.known.empty()) out += " (" + grouped_digits(report.known.size()) + " known)";
  put_count(out, report.suppressed.size(), grouped_digits(report.suppressed.size()) + " suppressed");
  return out;
}

// One line: "barrier-divergent at a.cu:9:5 in k(int*)".
std::string short_form(const Finding& finding) {
  const Place& place = finding.at.at;
  const std::string where = has_line(place) ? " at " + position_in(place.stack[shown_frame(place)])
                            : place.ptx_line != 0
                                ? " at PTX line " + std::to_string(place.ptx_line) + " of " + shorten(finding.kernel)
                                : "";
  return finding.rule + where;
}

} // namespace

std::string render_finding(const Finding& finding, const TextOptions& options) {
  return FindingPrinter(finding, options).print();
}

std::string summary_line(const Report& report) {
  const std::string tool = report.checked ? "tollgate check: " : "tollgate run: ";
  const std::string counts = list_of_counts(report);
  uint64_t launches = 0;
  for (const auto& kernel : report.kernels) launches += kernel.launches;
  const std::string ran = counted(report.kernels.size(), "kernel") + ", " +
                          (launches == 1 ? "1 launch" : grouped_digits(launches) + " launches") +
                          (report.shard.empty() ? "" : " (shard " + report.shard + ")");
  switch (report.verdict()) {
  case Verdict::Clean:
    return tool + "clean - " + ran + ", no finding for this input and schedule" +
           (counts.empty() ? "" : " (" + counts + ")");
  case Verdict::Findings:
    return "tollgate: " + counts + (report.shard.empty() ? "" : " in shard " + report.shard) + "; verdict: findings";
  case Verdict::Incomplete: return tool + "incomplete - " + ran + (counts.empty() ? "" : ", " + counts);
  case Verdict::Error: return tool + "failed - " + report.error;
  }
  return tool;
}

std::string render_report(const Report& report, const TextOptions& options) {
  std::string out;
  bool no_lines = false;
  for (const auto& finding : report.findings.all()) {
    out += render_finding(finding, options) + "\n";
    no_lines |= lacks_lines(finding);
  }
  const auto note = [&](std::string_view tag, Style style, const std::string& text) {
    out += paint(tag, style, options.color) + ": " +
           wrap(text, options.width, static_cast<unsigned>(tag.size()) + 2, static_cast<unsigned>(tag.size()) + 2) +
           "\n";
  };
  if (no_lines)
    note("note", Style::Note,
         "the device code carries no line information: build it with `nvcc -lineinfo` (or with `tollgate nvcc`) to "
         "see source lines here");
  if (report.findings.dropped() != 0)
    note("note", Style::Note,
         "more than " + grouped_digits(FindingSet::most_kept) + " different findings of one severity: " +
             grouped_digits(report.findings.dropped()) + " occurrences of others were counted only");
  for (const auto& finding : report.known)
    if (options.verbose) note("known", Style::Note, short_form(finding) + " (in the baseline)");
  for (const auto& entry : report.suppressed)
    if (options.verbose)
      note("suppressed", Style::Note, short_form(entry.finding) + ": " + entry.reason + " (" + entry.by + ")");
  for (const auto& remark : report.remarks) note("note", Style::Note, remark);
  for (const auto& reason : report.incomplete) note("incomplete", Style::Warning, reason);
  const Verdict verdict = report.verdict();
  if (!report.checked && verdict == Verdict::Clean && report.suppressed.empty()) return out;
  const Style style = verdict == Verdict::Clean      ? Style::Help
                      : verdict == Verdict::Findings ? (report.count(Severity::Error) ? Style::Error : Style::Warning)
                      : verdict == Verdict::Error    ? Style::Error
                                                     : Style::Warning;
  return out + paint(summary_line(report), style, options.color) + "\n";
}

} // namespace tollgate::report
