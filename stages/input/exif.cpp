// EXIF orientation: finding it in a block of metadata, and turning pictures by it.
#include "stages/input/exif.hpp"

#include <bit>
#include <cstddef>

#include "stages/input/byte_reader.hpp"

namespace contexton {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::uint32_t kLong = 4;

int orientation_of_first_directory(const ByteReader& exif) {
  const std::size_t directory = exif.u32(4);
  const std::uint32_t entries = exif.u16(directory);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (exif.u16(entry) != kOrientationTag) continue;
    const std::uint32_t type = exif.u16(entry + 2);
    if (type != kShort && type != kLong) return 1;
    const std::uint32_t value = type == kShort ? exif.u16(entry + 8) : exif.u32(entry + 8);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace

int exif_orientation(std::span<const std::uint8_t> tiff_block) {
  try {
    for (const auto order : {std::endian::little, std::endian::big}) {
      const ByteReader exif(tiff_block, order);
      if (exif.has_text(0, order == std::endian::little ? "II" : "MM") && exif.u16(2) == 42)
        return orientation_of_first_directory(exif);
    }
  } catch (const BadImage&) {
    // A directory that runs out of its block.
  }
  return 1;
}

bool swaps_sides(int orientation) {
  return orientation >= 5;
}

cv::Mat turned_upright(const cv::Mat& picture, int orientation) {
  constexpr int kUpsideDown = 0, kMirrored = 1, kBoth = -1;  // cv::flip's codes
  constexpr int kTranspositionAlone = 5;
  if (picture.empty() || orientation <= 1 || orientation > 8) return picture;
  cv::Mat turned = picture;
  if (swaps_sides(orientation)) {
    turned = cv::Mat();  // a square picture would be transposed in place, under the caller's feet
    cv::transpose(picture, turned);
  }
  if (orientation == kTranspositionAlone) return turned;
  const bool mirrored = orientation == 2 || orientation == 6;
  const bool upside_down = orientation == 4 || orientation == 8;
  cv::Mat upright;
  cv::flip(turned, upright, mirrored ? kMirrored : upside_down ? kUpsideDown : kBoth);
  return upright;
}

}  // namespace contexton
