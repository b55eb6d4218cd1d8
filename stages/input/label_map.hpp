// Masks and ground truth that lie beside an image as picture files: exact label values, never shades.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

#include "stages/input/decode.hpp"

namespace contexton {

// Both give CV_8UC1 of the size of `image`, the header of the picture they belong to as probed with
// `options`. They must have that size, or the size the picture is stored with before it is turned upright; in
// the second case they are turned as well. Thread-safe. Throw BadImage.

// 255 where the mask counts, 0 where the image is to be ignored. Any colour but black counts; in a JPEG,
// whose values are not exact, half of white and more. An empty mask (all black) is BadImage.
[[nodiscard]] cv::Mat read_mask(std::span<const std::uint8_t> bytes, const ImageHeader& image,
                                const DecodeOptions& options);

// Label values 0..255 as they are stored. Colour pictures, JPEG and larger values are BadImage.
[[nodiscard]] cv::Mat read_truth(std::span<const std::uint8_t> bytes, const ImageHeader& image,
                                 const DecodeOptions& options);

}  // namespace contexton
