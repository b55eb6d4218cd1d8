// Recognises a file by its content: which image format it is, or what else it looks like.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "stages/input/decode.hpp"

namespace contexton {

// By signature; the file's name plays no part.
[[nodiscard]] ImageFormat identify_format(std::span<const std::uint8_t> bytes);

// For messages about files of unknown format: "a text file", "a GIF image", "data of an unknown kind".
[[nodiscard]] std::string describe_content(std::span<const std::uint8_t> bytes);

}  // namespace contexton
