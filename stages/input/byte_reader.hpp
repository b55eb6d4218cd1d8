// Reads numbers from a file held in memory; reading past the end means that the file is truncated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stages/input/decode.hpp"

namespace contexton {

class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::endian order) : bytes_(bytes), order_(order) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint32_t u8(std::size_t offset) const { return number(offset, 1); }
  [[nodiscard]] std::uint32_t u16(std::size_t offset) const { return number(offset, 2); }
  [[nodiscard]] std::uint32_t u24(std::size_t offset) const { return number(offset, 3); }
  [[nodiscard]] std::uint32_t u32(std::size_t offset) const { return number(offset, 4); }

  [[nodiscard]] std::span<const std::uint8_t> block(std::size_t offset, std::size_t length) const {
    if (offset > bytes_.size() || length > bytes_.size() - offset)
      throw BadImage(ImageFault::truncated, "truncated: the file ends inside its header");
    return bytes_.subspan(offset, length);
  }

  [[nodiscard]] bool has_text(std::size_t offset, std::string_view text) const {
    if (offset > bytes_.size() || text.size() > bytes_.size() - offset) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (bytes_[offset + i] != static_cast<std::uint8_t>(text[i])) return false;
    return true;
  }

 private:
  [[nodiscard]] std::uint32_t number(std::size_t offset, std::size_t length) const {
    std::uint32_t value = 0;
    const auto digits = block(offset, length);
    for (std::size_t i = 0; i < length; ++i)
      value = value << 8 | digits[order_ == std::endian::big ? i : length - 1 - i];
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  std::endian order_;
};

}  // namespace contexton
