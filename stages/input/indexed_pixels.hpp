// Pixels that are numbers of palette entries, as BMP and Sun raster files have them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

namespace contexton {

using Palette = std::array<cv::Vec3b, 256>;  // BGR

// The bits of a row, most significant first, to one byte for each pixel; `bits` is 1, 2, 4 or 8.
inline void unpack_row(const std::uint8_t* packed, int bits, int width, std::uint8_t* row) {
  const int per_byte = 8 / bits;
  for (int x = 0; x < width; ++x)
    row[x] = static_cast<std::uint8_t>(packed[x / per_byte] >> (8 - bits - x % per_byte * bits) &
                                       ((1 << bits) - 1));
}

// Gray when the palette has no colour, otherwise BGR.
inline cv::Mat look_up(const cv::Mat& indices, const Palette& palette) {
  const bool gray =
      std::ranges::all_of(palette, [](const cv::Vec3b& c) { return c[0] == c[1] && c[1] == c[2]; });
  cv::Mat pixels(indices.size(), gray ? CV_8UC1 : CV_8UC3);
  for (int y = 0; y < indices.rows; ++y)
    for (int x = 0; x < indices.cols; ++x) {
      const cv::Vec3b& colour = palette[indices.at<std::uint8_t>(y, x)];
      if (gray)
        pixels.at<std::uint8_t>(y, x) = colour[0];
      else
        pixels.at<cv::Vec3b>(y, x) = colour;
    }
  return pixels;
}

}  // namespace contexton
