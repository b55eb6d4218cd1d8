// The list of the built-in sample images.
#include "stages/input/builtin_texture_recipes.hpp"

namespace contexton {

namespace {

using enum BuiltinLayout;

// Every material appears once in the first six images and once more, in other colours, in the last six.
constexpr std::array<BuiltinRecipe, 12> kRecipes{{
    {{"flowers", flower_print, {0x8FA9A0, 0xE9DCC4, 0xB4453F, 0x3F5F45, 0xE2AE3C}, 0.02F, 1.0F, 1.0F},
     {"brick", brick_wall, {0xB9AC9A, 0xA1503A, 0x8A3F2E, 0xB56A4A, 0x77362B}, 0.0F, 1.0F, 0.0F},
     kUprightCut,
     0.60F},
    {{"pebbles", pebbles, {0x2A2622, 0xA89C8C, 0x7C7F85, 0xC4B49A, 0x6F5A4C}, 0.0F, 1.0F, 0.0F},
     {"knit", knitwear, {0x7396B2, 0x93ABBA, 0x22303E}, 0.01F, 1.0F, 0.5F},
     kIsland,
     0.62F},
    {{"basket", basket_weave, {0xB98A4E, 0xD8B377, 0x8A5F2E, 0x2B1B0E}, 0.03F, 1.0F, 0.15F},
     {"leaves", leaf_print, {0xC79A8A, 0x35604A, 0x6F8B3E, 0xE6E6C8, 0x8C2F38}, -0.02F, 1.0F, 0.9F},
     kDiagonalBand,
     0.66F},
    {{"scales", fish_scales, {0x3E8C8A, 0xC7E0C4, 0x123F4E, 0x6FA86B}, 0.03F, 1.0F, 0.3F},
     {"tartan", tartan, {0x8FA3B5, 0x7A3440, 0x27443F, 0xE3D9B8, 0xD9DDE0}, 0.04F, 1.0F, 0.8F},
     kLevelCut,
     0.58F},
    {{"honeycomb", honeycomb, {0xD9A441, 0x5A3510, 0xC77A12, 0xE9CF8F}, 0.01F, 1.0F, 0.1F},
     {"herringbone", herringbone, {0xC29A6B, 0x9C6B43, 0x94683C, 0x6B4425, 0x23150B}, 0.125F, 1.0F, 0.0F},
     kTwoIslands,
     0.63F},
    {{"dots", polka_dots, {0x9E2F45, 0xF4EADB, 0xD08A3A}, 0.02F, 1.0F, 1.0F},
     {"wood", wood_boards, {0xC9A173, 0x8E5F35, 0x4A2A15, 0x20130A}, 0.24F, 1.0F, 0.0F},
     kCorner,
     0.65F},
    {{"brick", brick_wall, {0x8C8880, 0xC9BDA6, 0xB3A58C, 0xD6CDB9, 0xA09078}, 0.01F, 0.92F, 0.0F},
     {"scales", fish_scales, {0xC7803A, 0xF3DDA8, 0x5E2718, 0xB5502F}, 0.27F, 0.95F, 0.3F},
     kWinding,
     0.61F},
    {{"wood", wood_boards, {0xA9A59B, 0x6F6B63, 0x3B3630, 0x1A1815}, 0.02F, 0.9F, 0.0F},
     {"flowers", flower_print, {0x2B3E66, 0xDB8494, 0xE6DAC8, 0x5F927A, 0xE0B648}, 0.09F, 0.9F, 1.0F},
     kDiagonalBand,
     0.57F},
    {{"tartan", tartan, {0xD9C9A6, 0x6B4A35, 0xA8442E, 0x1F2A3A, 0x2E5D57}, 0.0F, 0.9F, 0.9F},
     {"honeycomb", honeycomb, {0xB9B4A6, 0x3A4048, 0x6F8793, 0xD8D4C6}, 0.03F, 0.85F, 0.1F},
     kTwoIslands,
     0.64F},
    {{"herringbone", herringbone, {0xB5B0A8, 0x8F9AA0, 0x8A857C, 0x66717A, 0x25292C}, 0.135F, 1.1F, 0.0F},
     {"pebbles", pebbles, {0x1F2A26, 0x8FA39A, 0xB9C2B4, 0x5F7A78, 0xA58A6F}, 0.05F, 0.9F, 0.0F},
     kUprightCut,
     0.68F},
    {{"leaves", leaf_print, {0x2B4C4A, 0xD39C45, 0xB95B2B, 0x3A2A1E, 0xE0D3B4}, 0.06F, 1.1F, 1.0F},
     {"dots", polka_dots, {0xC2A05A, 0x2A4A6B, 0xEADFC8}, 0.1F, 0.9F, 1.0F},
     kIsland,
     0.60F},
    {{"knit", knitwear, {0xB08A3E, 0xC9AA6A, 0x35240C}, -0.02F, 0.9F, 0.5F},
     {"basket", basket_weave, {0x9A9286, 0xC4BBAA, 0x6A6258, 0x1E1B18}, 0.1F, 0.9F, 0.15F},
     kLevelCut,
     0.66F},
}};

}  // namespace

std::span<const BuiltinRecipe> builtin_recipes() {
  return kRecipes;
}

}  // namespace contexton
