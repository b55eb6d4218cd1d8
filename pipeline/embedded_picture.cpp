// Encoded pictures (PNG, JPEG) as text inside a page or a JSON document.
#include "pipeline/embedded_picture.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>

namespace contexton {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kDigitValues = digit_values();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// Big-endian, `count` bytes.
int number_at(std::string_view bytes, std::size_t i, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < count; ++k) value = value << 8 | byte_at(bytes, i + k);
  return static_cast<int>(value & 0x7FFFFFFF);
}

PictureHeader png_header(std::string_view bytes) {
  PictureHeader header{"image/png"};
  if (bytes.size() >= 24 && bytes.substr(12, 4) == "IHDR") {
    header.width = number_at(bytes, 16, 4);
    header.height = number_at(bytes, 20, 4);
  }
  return header;
}

bool starts_jpeg_frame(std::uint32_t marker) {
  const bool is_table = marker == 0xC4 || marker == 0xC8 || marker == 0xCC;
  return marker >= 0xC0 && marker <= 0xCF && !is_table;
}

// Walks the segments up to the start of the frame, which holds the size.
PictureHeader jpeg_header(std::string_view bytes) {
  PictureHeader header{"image/jpeg"};
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && byte_at(bytes, at) == 0xFF) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (starts_jpeg_frame(marker)) {
      header.height = number_at(bytes, at + 5, 2);
      header.width = number_at(bytes, at + 7, 2);
      break;
    }
    at += marker == 0xFF ? 1 : 2 + static_cast<std::size_t>(number_at(bytes, at + 2, 2));
  }
  return header;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = byte_at(bytes, i) << 16;
    if (here > 1) group |= byte_at(bytes, i + 1) << 8;
    if (here > 2) group |= byte_at(bytes, i + 2);
    text += kAlphabet[group >> 18];
    text += kAlphabet[group >> 12 & 63];
    text += here > 1 ? kAlphabet[group >> 6 & 63] : '=';
    text += here > 2 ? kAlphabet[group & 63] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw std::invalid_argument("base64 text has a wrong length");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_padding = i >= text.size() - padding;
    const std::uint8_t digit = is_padding ? 0 : kDigitValues[byte_at(text, i)];
    if (digit == kNoDigit) throw std::invalid_argument("base64 text holds a character that is not base64");
    group = group << 6 | digit;
    if (i % 4 == 3) {
      bytes += static_cast<char>(group >> 16 & 255);
      bytes += static_cast<char>(group >> 8 & 255);
      bytes += static_cast<char>(group & 255);
    }
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

PictureHeader picture_header(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return png_header(bytes);
  if (bytes.starts_with("\xFF\xD8\xFF")) return jpeg_header(bytes);
  return {};
}

}  // namespace contexton
