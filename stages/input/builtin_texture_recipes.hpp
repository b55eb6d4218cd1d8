// Which materials, colours, border and light make each built-in sample image.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "stages/input/builtin_texture_layout.hpp"
#include "stages/input/builtin_texture_patterns.hpp"

namespace contexton {

// One material as it lies in one image.
struct BuiltinSwatch {
  const char* name;
  Material material;
  std::array<std::uint32_t, 5> palette;  // 0xRRGGBB; the material says what each is for
  float turn;                            // orientation, in turns
  float size;                            // enlargement of the material's own pitch
  float folds;                           // 0 lies flat .. 1 crumpled
};

struct BuiltinRecipe {
  BuiltinSwatch first;   // label 0
  BuiltinSwatch second;  // label 1
  BuiltinLayout layout;
  float light_turn;  // direction of the light in the image plane, in turns; 0.5 is from the left, 0.75 from
                     // above
};

[[nodiscard]] std::span<const BuiltinRecipe> builtin_recipes();

}  // namespace contexton
