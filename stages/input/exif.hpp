// EXIF orientation: finding it in a block of metadata, and turning pictures by it.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

namespace contexton {

// The orientation 1..8 in an EXIF block that starts with its TIFF header ("II*" or "MM*"); 1 when the block
// is garbage, has no orientation, or an invalid one: metadata never makes an image unusable.
[[nodiscard]] int exif_orientation(std::span<const std::uint8_t> tiff_block);

// Whether width and height change places when a picture of this orientation is turned upright.
[[nodiscard]] bool swaps_sides(int orientation);

// The picture turned upright; no copy for orientation 1.
[[nodiscard]] cv::Mat turned_upright(const cv::Mat& picture, int orientation);

}  // namespace contexton
