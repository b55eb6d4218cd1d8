// Turns plain text and numbers into what may stand in HTML and SVG, written for people.
#include "pipeline/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace contexton {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kMinus = "\xE2\x88\x92";        // U+2212
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character that starts the (non-empty) text; an invalid one is a single byte.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = code < (bytes == 2 ? 0x80u : bytes == 3 ? 0x800u : 0x10000u);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, bytes, true};
}

// What XML allows, less the control characters it tolerates.
bool is_printable(const Character& character) {
  const std::uint32_t code = character.code;
  if (!character.valid || code == 0xFFFE || code == 0xFFFF) return false;
  if (code >= 0x7F && code <= 0x9F) return false;
  return code >= 0x20 || code == '\t' || code == '\n' || code == '\r';
}

std::string with_separators(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string superscript(int exponent) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : fmt::format("{}", exponent)) out += c == '-' ? "⁻" : kDigits[c - '0'];
  return out;
}

// Advance widths in em, taken from the wider of the common fonts so that text never leaves its box.
double advance(const Character& character) {
  if (character.code >= 0x1100) return 1.0;  // East Asian scripts and pictographs
  if (character.code >= 0x80) return 0.66;
  const char c = static_cast<char>(character.code);
  if (std::string_view("ijl.,:;'|!()[] ").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.98;
  if (c >= 'A' && c <= 'Z') return 0.70;
  return 0.62;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    out += is_printable(character) ? text.substr(0, character.bytes) : kReplacement;
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : printable_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escape_url_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string grouped_number(double value, int digits) {
  const std::string plain = fmt::format("{:.{}f}", std::abs(value), digits);
  const std::size_t point = std::min(plain.find('.'), plain.size());
  const bool is_zero = plain.find_first_not_of("0.") == std::string::npos;
  const std::string_view sign = value < 0 && !is_zero ? kMinus : "";
  return fmt::format("{}{}{}", sign, with_separators(std::string_view(plain).substr(0, point)),
                     std::string_view(plain).substr(point));
}

std::string scientific_number(double value, int digits) {
  const std::string plain = fmt::format("{:.{}e}", std::abs(value), digits);
  const std::size_t e = plain.find('e');
  const std::string mantissa = without_trailing_zeros(plain.substr(0, e));
  const std::string power = fmt::format("10{}", superscript(std::stoi(plain.substr(e + 1))));
  return fmt::format("{}{}{}", value < 0 ? kMinus : "", mantissa == "1" ? "" : mantissa + "×", power);
}

std::string readable_number(double value) {
  constexpr double kLargestPlain = 1e15;
  constexpr double kSmallestPlain = 1e-4;
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return fmt::format("{}∞", value < 0 ? kMinus : "");
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= kLargestPlain || size < kSmallestPlain) return scientific_number(value, 3);
  if (size == std::floor(size)) return grouped_number(value, 0);
  const int decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
  return without_trailing_zeros(grouped_number(value, decimals));
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", with_separators(fmt::format("{}", count)), count == 1 ? singular : plural);
}

double text_width(std::string_view text, double font_size) {
  double em = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    em += advance(character);
    text.remove_prefix(character.bytes);
  }
  return em * font_size;
}

std::string fitted_text(std::string_view text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return std::string(text);
  double room = width - text_width(kEllipsis, font_size);
  std::size_t kept = 0;
  while (kept < text.size()) {
    const Character character = first_character(text.substr(kept));
    room -= advance(character) * font_size;
    if (room < 0) break;
    kept += character.bytes;
  }
  return fmt::format("{}{}", text.substr(0, kept), kEllipsis);
}

}  // namespace contexton
