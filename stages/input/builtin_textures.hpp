// The sample images behind `builtin:textures`: photograph-like pairs of near-regular textures with ground
// truth.
//
// Nothing is read from disk. Every image shows two materials (printed cloth, brick, pebbles, ...) that meet
// along an irregular border, under one light, with sensor noise. The two regions agree in mean and contrast
// of gray, so that only their structure tells them apart. All functions are thread-safe and give the same
// bytes on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <opencv2/core.hpp>

namespace contexton {

// Part of every cache key: raise it when a picture is redrawn.
inline constexpr std::uint64_t kBuiltinTextureVersion = 1;

struct BuiltinTexture {
  std::string name;  // "<texture of label 0>_<texture of label 1>", for instance "flowers_brick"
  cv::Mat pixels;    // CV_8UC3, blue green red, 1024 x 768
  cv::Mat truth;     // CV_8UC1, 0 or 1: which texture a pixel shows
};

[[nodiscard]] std::size_t builtin_texture_count();

// The name alone, without drawing. `index` is below builtin_texture_count().
[[nodiscard]] std::string builtin_texture_name(std::size_t index);

// Draws one image: 0.1 to 0.2 s on one core, and 35 MB while drawing.
[[nodiscard]] BuiltinTexture make_builtin_texture(std::size_t index);

}  // namespace contexton
