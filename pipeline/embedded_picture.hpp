// Encoded pictures (PNG, JPEG) as text inside a page or a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace contexton {

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);  // throws std::invalid_argument when damaged

struct PictureHeader {
  std::string mime_type;      // "image/png" or "image/jpeg"; empty = neither
  int width = 0, height = 0;  // pixels; 0 = could not be read
};

// Reads the first bytes only; never fails.
PictureHeader picture_header(std::string_view bytes);

}  // namespace contexton
