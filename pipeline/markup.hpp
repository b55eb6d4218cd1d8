// Turns plain text and numbers into what may stand in HTML and SVG, written for people.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace contexton {

// Bytes that are not UTF-8, and control characters, become U+FFFD, so that a file name from any file system
// can be shown. Tabs and line ends stay.
std::string printable_text(std::string_view text);

// Printable, and safe in element content and in quoted attributes.
std::string escape_markup(std::string_view text);

// Safe as a relative link: everything but letters, digits and "-._~/" is percent-encoded, byte by byte.
std::string escape_url_path(std::string_view path);

bool is_utf8(std::string_view text);

// Four significant digits and thousands separators: 0.1235, 12,345, 1.2×10⁻⁵. Integers are shown in full.
std::string readable_number(double value);

// `digits` digits after the point with thousands separators, "−" for minus.
std::string grouped_number(double value, int digits);

// `digits` digits after the point of the mantissa, trailing zeros dropped: 1.2×10⁻⁵, and 10⁶ for 1×10⁶.
std::string scientific_number(double value, int digits);

// "1 image", "1,200 images".
std::string counted(std::size_t count, std::string_view singular, std::string_view plural);

// Width in pixels that a line of text takes at most in the usual sans-serif fonts (an estimate: the reader's
// font is not known here).
double text_width(std::string_view text, double font_size);

// The text, cut with an ellipsis where it would be wider than `width`.
std::string fitted_text(std::string_view text, double width, double font_size);

// fmt::format at the end of a growing page.
template <class... Args>
void append_format(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

}  // namespace contexton
