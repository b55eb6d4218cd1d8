// The irregular borders between the two textures of a built-in image.
#include "stages/input/builtin_texture_layout.hpp"

namespace contexton {

using namespace shading;

namespace {

constexpr float kWidth = kBuiltinWidth;
constexpr float kHeight = kBuiltinHeight;

// Bends straight lines and circles into outlines as of torn paper: large swings and small wiggles.
Point bent(Point p, std::uint64_t key) {
  const Point coarse{p.x / 260, p.y / 260};
  const Point fine{p.x / 75, p.y / 75};
  return p + Point(52 * noise(coarse, key) + 13 * noise(fine, key + 1),
                   52 * noise(coarse, key + 2) + 13 * noise(fine, key + 3));
}

float disc(Point p, Point center, float radius_x, float radius_y) {
  const Point unit{(p.x - center.x) / radius_x, (p.y - center.y) / radius_y};
  return (1 - length(unit)) * std::min(radius_x, radius_y);
}

}  // namespace

float layout_field(BuiltinLayout layout, Point p, std::uint64_t key) {
  const float phase = static_cast<float>(key & 0xffU) / 256.0F;
  const Point q = bent(p, key);
  switch (layout) {
    case BuiltinLayout::kUprightCut:
      return q.x - (kWidth * 0.5F + 62 * wave(q.y / 540 + phase));
    case BuiltinLayout::kLevelCut:
      return q.y - (kHeight * 0.5F + 50 * wave(q.x / 610 + phase));
    case BuiltinLayout::kDiagonalBand:
      return 185 - std::abs(0.6F * (q.x - kWidth / 2) + 0.8F * (q.y - kHeight / 2) +
                            30 * wave((q.x - q.y) / 480 + phase));
    case BuiltinLayout::kIsland:
      return disc(q, {kWidth * 0.5F, kHeight * 0.5F}, 370, 275);
    case BuiltinLayout::kTwoIslands:
      return std::max(disc(q, {kWidth * 0.27F, kHeight * 0.36F}, 225, 225),
                      disc(q, {kWidth * 0.73F, kHeight * 0.64F}, 240, 220));
    case BuiltinLayout::kCorner:
      return disc(q, {kWidth * 0.98F, kHeight * 1.02F}, 720, 640);
    case BuiltinLayout::kWinding:
      return 140 - std::abs(q.y - kHeight / 2 - 165 * wave(q.x / 900 + phase));
  }
  return 0;
}

}  // namespace contexton
