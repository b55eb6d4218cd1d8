// The materials the built-in textures are made of: each says what a surface is like at one point.
#pragma once

#include <array>
#include <cstdint>

#include "stages/input/builtin_texture_shading.hpp"

namespace contexton {

// A surface at one point, before any light falls on it.
struct SurfacePoint {
  shading::Color color;  // of the material, linear light
  float height = 0;      // pixels above the ground; its slope makes light and shade
  float gloss = 0;       // 0 matt .. 1 wet
};

// What distinguishes one use of a material from another.
struct MaterialStyle {
  std::uint64_t key = 0;                // everything random about it
  std::array<shading::Color, 5> color;  // meaning is the material's: ground first, then motifs or variants
};

using Material = SurfacePoint (*)(shading::Point, const MaterialStyle&);

// Fabrics.
SurfacePoint flower_print(shading::Point p, const MaterialStyle& style);
SurfacePoint leaf_print(shading::Point p, const MaterialStyle& style);
SurfacePoint polka_dots(shading::Point p, const MaterialStyle& style);
SurfacePoint tartan(shading::Point p, const MaterialStyle& style);
SurfacePoint knitwear(shading::Point p, const MaterialStyle& style);
SurfacePoint basket_weave(shading::Point p, const MaterialStyle& style);

// Hard surfaces.
SurfacePoint brick_wall(shading::Point p, const MaterialStyle& style);
SurfacePoint pebbles(shading::Point p, const MaterialStyle& style);
SurfacePoint honeycomb(shading::Point p, const MaterialStyle& style);
SurfacePoint fish_scales(shading::Point p, const MaterialStyle& style);
SurfacePoint wood_boards(shading::Point p, const MaterialStyle& style);
SurfacePoint herringbone(shading::Point p, const MaterialStyle& style);

}  // namespace contexton
