#include "report/source.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace tollgate::report {

std::optional<std::string> SourceCache::line(const std::string& file, unsigned number) {
  const auto [entry, fresh] = files_.try_emplace(file);
  if (fresh) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) entry->second.push_back(text);
  }
  if (number == 0 || number > entry->second.size()) return std::nullopt;
  return entry->second[number - 1];
}

namespace {

// Where a marker goes, in bytes of the source line: the identifier that starts at the column, or one character.
struct Extent {
  size_t begin = 0, end = 0;
};

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

Extent extent_of(const std::string& line, unsigned column) {
  size_t begin = column == 0 ? 0 : column - 1;
  if (begin >= line.size()) begin = column == 0 || line.empty() ? 0 : line.size() - 1;
  while (column == 0 && begin + 1 < line.size() && std::isspace(static_cast<unsigned char>(line[begin]))) ++begin;
  size_t end = begin;
  while (end < line.size() && word_char(line[end])) ++end;
  return {begin, std::max(end, begin + 1)};
}

struct Canvas {
  const ExcerptStyle& style;
  std::string out;

  void row(const std::string& number, const std::string& text) {
    const std::string gutter = std::string(style.gutter - number.size(), ' ') + number + " |";
    out += paint(gutter, Style::Gutter, style.color);
    if (!text.empty()) out += " " + text;
    out += '\n';
  }
  void gap() { out += paint("...", Style::Gutter, style.color) + "\n"; }
};

// A very long line is shown from a little before the marker.
size_t window_start(const std::string& line, const Extent& extent, unsigned limit) {
  if (line.size() <= limit || extent.end <= limit) return 0;
  const size_t back = std::min<size_t>(extent.begin, limit / 3);
  size_t start = extent.begin - back;
  while (start > 0 && (static_cast<unsigned char>(line[start]) & 0xc0) == 0x80) --start; // whole characters
  return start;
}

std::string clip(const std::string& text, unsigned limit) {
  if (display_width(text) <= limit) return text;
  size_t end = std::min<size_t>(text.size(), limit - 3);
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  while (end > 0 && display_width(std::string_view(text).substr(0, end)) > limit - 3) --end;
  return text.substr(0, end) + "...";
}

void draw_line(Canvas& canvas, const std::string& line, unsigned number, const std::vector<Mark>& marks) {
  const unsigned limit = canvas.style.width == 0 ? 160 : std::max(40u, canvas.style.width - canvas.style.gutter - 4);
  const Extent first = extent_of(line, marks.front().column);
  const size_t start = window_start(line, first, limit);
  const std::string lead = start == 0 ? "" : "...";
  canvas.row(std::to_string(number), clip(lead + expand_tabs(std::string_view(line).substr(start)), limit));

  for (const auto& mark : marks) {
    const Extent extent = extent_of(line, mark.column);
    const size_t begin = std::max(extent.begin, start);
    const auto shown = [&](size_t end) { return display_width(expand_tabs(line.substr(start, end - start))); };
    const unsigned indent = static_cast<unsigned>(lead.size()) + shown(begin);
    const unsigned size = std::max(1u, shown(std::max(extent.end, begin + 1)) - shown(begin));
    const Style style = mark.primary ? canvas.style.primary : Style::Gutter;
    std::string text = std::string(size, mark.primary ? '^' : '-');
    const unsigned room = canvas.style.gutter + 3 + indent;
    if (!mark.label.empty()) text += " " + wrap(mark.label, canvas.style.width, room + size + 1, 0);
    // A label that had to be broken goes on under its own beginning, each line with its gutter.
    for (size_t at = 0, line_number = 0; at <= text.size(); ++line_number) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string part = (line_number == 0 ? "" : std::string(size + 1, ' ')) + text.substr(at, end - at);
      canvas.row("", std::string(indent, ' ') + paint(part, style, canvas.style.color));
      at = end + 1;
    }
  }
}

} // namespace

std::string excerpt(SourceCache& sources, const std::string& file, std::vector<Mark> marks, const ExcerptStyle& style) {
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.line < b.line; });
  Canvas canvas{style, {}};
  unsigned last = 0;
  for (size_t at = 0; at < marks.size();) {
    const unsigned number = marks[at].line;
    size_t end = at;
    while (end < marks.size() && marks[end].line == number) ++end;
    if (const auto line = sources.line(file, number)) {
      if (last == 0) canvas.row("", "");
      if (last != 0 && number == last + 2)
        canvas.row(std::to_string(last + 1), expand_tabs(sources.line(file, last + 1).value_or("")));
      else if (last != 0 && number > last + 2)
        canvas.gap();
      draw_line(canvas, *line, number, {marks.begin() + static_cast<long>(at), marks.begin() + static_cast<long>(end)});
      last = number;
    }
    at = end;
  }
  return canvas.out;
}

} // namespace tollgate::report
