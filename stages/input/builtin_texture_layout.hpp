// How the two textures of a built-in image share its area.
#pragma once

#include <cstdint>

#include "stages/input/builtin_texture_shading.hpp"

namespace contexton {

inline constexpr int kBuiltinWidth = 1024;
inline constexpr int kBuiltinHeight = 768;

enum class BuiltinLayout { kUprightCut, kLevelCut, kDiagonalBand, kIsland, kTwoIslands, kCorner, kWinding };

// Positive where the second texture (label 1) is; near the border, about the distance to it in pixels.
[[nodiscard]] float layout_field(BuiltinLayout layout, shading::Point p, std::uint64_t key);

}  // namespace contexton
