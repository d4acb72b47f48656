// Colour and layout of text: display width of UTF-8, tabs, wrapping.
#pragma once

#include <string>
#include <string_view>

namespace tollgate::report {

enum class Style { Plain, Bold, Error, Warning, Note, Help, Gutter };

[[nodiscard]] std::string paint(std::string_view text, Style style, bool color);

// Columns that `text` takes on a terminal; East Asian wide characters take two, combining marks none.
[[nodiscard]] unsigned display_width(std::string_view text);

// Tabs become spaces up to the next multiple of four columns; other control characters become '?', so that a source
// file cannot steer the reader's terminal.
[[nodiscard]] std::string expand_tabs(std::string_view line);

// Breaks at spaces so that no line is wider than `width` (0: no limit); later lines start with `indent` spaces.
// `first` columns are already taken on the first line.
[[nodiscard]] std::string wrap(std::string_view text, unsigned width, unsigned first, unsigned indent);

// "1 error", "2 errors", "1,024 threads"
[[nodiscard]] std::string counted(uint64_t number, std::string_view noun);
[[nodiscard]] std::string grouped_digits(uint64_t number);

} // namespace tollgate::report
