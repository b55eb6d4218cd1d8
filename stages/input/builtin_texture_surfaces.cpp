// Hard surfaces of the built-in textures: walls, stones, combs, scales and wood.
#include "stages/input/builtin_texture_patterns.hpp"

namespace contexton {

using namespace shading;

namespace {

// Signed distance to a rectangle with round corners, centred at 0.
float rounded_box(Point p, float half_width, float half_height, float corner) {
  const float x = std::abs(p.x) - half_width + corner;
  const float y = std::abs(p.y) - half_height + corner;
  return length({std::max(x, 0.0F), std::max(y, 0.0F)}) + std::min(std::max(x, y), 0.0F) - corner;
}

// A minimum without a crease where a and b are nearly equal.
float smooth_min(float a, float b, float softness) {
  const float t = clamp01(0.5F + 0.5F * (b - a) / softness);
  return blend(b, a, t) - softness * t * (1 - t);
}

// The stone that covers a point.
struct StoneHere {
  int column = 0;
  int row = 0;
  float border = 0;  // distance to the stone's outline, in pixels
};

// One stone per cell of a grid, each claiming what is nearest to its jittered centre (a Voronoi diagram).
StoneHere stone_at(Point p, float pitch, std::uint64_t key) {
  const int column = floor_int(p.x / pitch);
  const int row = floor_int(p.y / pitch);
  std::array<Point, 9> away;  // from the point to the centre of each stone near it
  std::size_t nearest = 0;
  float nearest_square = 1e9F;
  for (std::size_t i = 0; i < away.size(); ++i) {
    const int x = column + static_cast<int>(i % 3) - 1;
    const int y = row + static_cast<int>(i / 3) - 1;
    const Element stone(x, y, key);
    away[i] = {(static_cast<float>(x) + 0.5F + 0.36F * stone.spread(0)) * pitch - p.x,
               (static_cast<float>(y) + 0.5F + 0.36F * stone.spread(1)) * pitch - p.y};
    const float square = away[i].dot(away[i]);
    nearest = square < nearest_square ? i : nearest;
    nearest_square = std::min(square, nearest_square);
  }
  const Point own = away[nearest];
  away[nearest] = {10 * pitch, 0};  // too far to matter below
  // The two nearest parts of the outline together round it where three stones meet.
  float first = pitch;
  float second = pitch;
  for (const Point other : away) {
    const Point between = other - own;
    const float distance = 0.5F * between.dot(other + own) / length(between);
    second = std::min(second, std::max(first, distance));
    first = std::min(first, distance);
  }
  return {column + static_cast<int>(nearest % 3) - 1, row + static_cast<int>(nearest / 3) - 1,
          smooth_min(first, second, 6)};
}

// Wood whose fibres run along x; `board` makes every piece of timber different.
SurfacePoint timber(Point p, const Color& early, const Color& late, const Element& board, std::uint64_t key) {
  const Point own{p.x + 900 * board.uniform(0), p.y + 400 * board.uniform(1)};
  // Year rings: cut at a shallow angle they become long, wandering lines.
  const float drift =
      noise({own.x / 300, own.y / 62}, key) + 0.16F * noise({own.x / 75, own.y / 19}, key + 1);
  const float ring = fraction(own.y / 12 + 2.1F * drift + 0.004F * own.x * board.spread(2));
  const float latewood = smooth_step(0.0F, 0.8F, ring) * (1 - smooth_step(0.8F, 1.0F, ring));
  const float fiber = noise({own.x / 33, own.y / 1.5F}, key + 2);
  const float pores = smooth_step(0.45F, 0.75F, noise({own.x / 13, own.y / 1.3F}, key + 3));
  SurfacePoint wood;
  wood.color = blend(early, late, clamp01(0.9F * latewood + 0.12F * fiber)) *
               ((1 + 0.2F * board.spread(3)) * (1 + 0.09F * fiber) * (1 - 0.35F * pores));
  wood.height = 0.3F * fiber - 0.5F * pores;
  wood.gloss = 0.1F;
  return wood;
}

}  // namespace

// Colours: mortar, then four fired clays.
SurfacePoint brick_wall(Point p, const MaterialStyle& style) {
  constexpr float kWidth = 64;
  constexpr float kHeight = 29;
  constexpr float kJoint = 5;
  const float grit = fractal_noise({p.x / 6, p.y / 6}, style.key + 71, 3);
  const float chips = 1.6F * fractal_noise({p.x / 9, p.y / 9}, style.key + 74, 2);
  SurfacePoint wall;
  wall.color = style.color[0] * (1 + 0.22F * grit);
  wall.height = 0.9F * grit;
  for_near_cells(p, kWidth, kHeight, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > kWidth / 2 + 3 || std::abs(offset.y) > kHeight / 2 + 3) return;
    const Element brick(column, row, style.key + 72);
    const Element clay(column, row, style.key + 73);
    const Point at =
        rotated(offset - Point(1.5F * brick.spread(0), 0.9F * brick.spread(1)), 0.0035F * brick.spread(2));
    const float half_width = (kWidth - kJoint) / 2 + 1.2F * brick.spread(3);
    const float distance = rounded_box(at, half_width, (kHeight - kJoint) / 2, 3) + chips;
    const float cover = coverage(distance);
    if (cover <= 0) return;
    const auto kind = static_cast<std::size_t>(1 + 3.999F * clay.uniform(0));
    const float fire = noise({p.x / 26 + 50 * clay.uniform(1), p.y / 15}, style.key + 75);
    const float pits = smooth_step(0.5F, 0.8F, noise({p.x / 3.4F, p.y / 3.4F}, style.key + 76));
    const float tone = (1 + 0.14F * clay.spread(2)) * (1 + 0.2F * fire + 0.16F * grit) * (1 - 0.4F * pits);
    wall.color = blend(wall.color, style.color[kind] * tone, cover);
    const float raised = 4.2F * smooth_step(1.0F, -4.0F, distance) + 0.9F * grit - 1.1F * pits;
    wall.height = std::max(wall.height, raised + 0.02F * at.x * clay.spread(3));
  });
  return wall;
}

// Colours: the dark between stones, then four kinds of stone.
SurfacePoint pebbles(Point p, const MaterialStyle& style) {
  const Point bent = p + Point(3 * noise({p.x / 23, p.y / 23}, style.key + 81),
                               3 * noise({p.x / 23, p.y / 23}, style.key + 82));
  const StoneHere here = stone_at(bent, 36, style.key + 83);
  const Element stone(here.column, here.row, style.key + 84);
  const float inside = here.border - 0.6F - 0.8F * stone.uniform(0);
  const float mottle = fractal_noise({p.x / 9 + 40 * stone.uniform(1), p.y / 9}, style.key + 85, 2);
  const float speckle = smooth_step(0.3F, 0.7F, noise({p.x / 2.6F, p.y / 2.6F}, style.key + 86));
  const auto kind = static_cast<std::size_t>(1 + 3.999F * stone.uniform(2));
  const float tone = (1 + 0.2F * stone.spread(3)) * (1 + 0.22F * mottle - 0.2F * speckle);
  const float dome = clamp01(inside / 11);
  SurfacePoint ground;
  ground.color =
      blend(style.color[0] * (1 + 0.3F * mottle), style.color[kind] * tone, smooth_step(0.0F, 3.0F, inside));
  ground.height = 9 * std::sqrt(1 - (1 - dome) * (1 - dome)) + 0.5F * mottle;
  ground.gloss = 0.25F;
  return ground;
}

// Colours: wax, empty cell, honey, capped cell.
SurfacePoint honeycomb(Point p, const MaterialStyle& style) {
  constexpr float kPitch = 40;
  constexpr float kRow = kPitch * 0.8660254F;
  SurfacePoint comb;
  float nearest = 1e9F;
  Point at;
  Element cell(0, 0, style.key);
  for_near_cells(p, kPitch, kRow, 0.5F, [&](int column, int row, Point offset) {
    const float distance = offset.dot(offset);
    if (distance >= nearest) return;
    nearest = distance;
    at = offset;
    cell = Element(column, row, style.key + 91);
  });
  // Distance from the middle in the sense of the hexagon: kPitch / 2 on the wall.
  const float diagonal = 0.5F * std::abs(at.x) + 0.8660254F * std::abs(at.y);
  const float hexagon = std::max(std::abs(at.x), diagonal);
  const float round = length(at) * 0.97F;
  const float inside =
      kPitch / 2 - 3.4F - 0.9F * cell.spread(0) - std::max(hexagon, blend(hexagon, round, 0.75F));
  const float grain = fractal_noise({p.x / 7, p.y / 7}, style.key + 92, 3);
  const Color wax = style.color[0] * (1 + 0.18F * grain);
  const float depth = smooth_step(-1.0F, 11.0F, inside);
  const float kind = cell.uniform(1);
  Color filling = style.color[1] * (1.3F - 0.7F * depth);
  float floor_height = 9 * (1 - depth) - 2;
  if (kind > 0.86F) {
    filling = style.color[3] * (1 + 0.25F * grain);
    floor_height = 9 + 2.2F * depth + 1.2F * grain;
  } else if (kind > 0.3F) {
    const float level = smooth_step(2.5F, 5.5F, inside);  // honey, with a meniscus along the wall
    filling = blend(style.color[1], style.color[2] * (1 + 0.3F * cell.spread(2) - 0.012F * at.y), level);
    floor_height = blend(9 * (1 - depth) - 2, 2 + 1.4F * smooth_step(9.0F, 3.0F, inside), level);
    comb.gloss = 0.8F * level;
  }
  const float open = smooth_step(-0.4F, 1.4F, inside);
  comb.color = blend(wax, filling, open);
  comb.height = blend(9 + 1.4F * smooth_step(-4.5F, -1.0F, -std::abs(inside + 2.5F) - 1) + 0.5F * grain,
                      floor_height, open);
  comb.gloss = std::max(comb.gloss, 0.2F);
  return comb;
}

// Colours: scale, its rim, its root, and a second tint.
SurfacePoint fish_scales(Point p, const MaterialStyle& style) {
  constexpr float kWidth = 42;
  constexpr float kRow = 20;
  constexpr float kRadius = 26;
  // Upper rows lie on lower ones, so the first disc found from above is the one that shows.
  for (int row = floor_int((p.y - kRadius - 3) / kRow);; ++row) {
    const float moved = (row & 1) != 0 ? 0.5F : 0.0F;
    const int column = floor_int(p.x / kWidth - moved + 0.5F);
    const Element scale(column, row, style.key + 101);
    const Point center{(static_cast<float>(column) + moved) * kWidth + 1.3F * scale.spread(0),
                       static_cast<float>(row) * kRow + 1.3F * scale.spread(1)};
    const Point at = p - center;
    const float radius = length(at);
    const float size = kRadius * (1 + 0.04F * scale.spread(2));
    if (radius >= size && at.y > -kRow) continue;
    const float rim = size - radius;
    const float t = clamp01((at.y + 4) / size);
    const float fan = wave(9 * at.x / (std::abs(at.y) + 16)) * smooth_step(2, 9, rim);
    const float growth = wave(radius / 4.2F + 0.3F * fan);
    const float sheen = noise({p.x / 60, p.y / 60}, style.key + 102) + 0.9F * scale.spread(3);
    Color skin = blend(style.color[0], style.color[3], clamp01(0.5F + 0.5F * sheen));
    skin = blend(style.color[2], skin, smooth_step(0.05F, 0.55F, t)) * (1 + 0.09F * growth + 0.1F * fan);
    SurfacePoint surface;
    surface.color =
        blend(skin, style.color[1], smooth_step(4.5F, 2.0F, rim) * 0.8F) * smooth_step(-0.6F, 1.6F, rim);
    surface.height = 5.5F * t + 2.5F * smooth_step(0, 7, rim) + 0.25F * growth + 0.5F * fan;
    surface.gloss = 0.55F;
    return surface;
  }
}

// Colours: early wood, late wood, knot, gap.
SurfacePoint wood_boards(Point p, const MaterialStyle& style) {
  constexpr float kBoard = 58;
  constexpr float kKnots = 300;  // at most one knot in this length of a board
  const float edge = 0.8F * noise({p.x / 90, p.y / 90}, style.key + 111);
  const int board_index = floor_int((p.y + edge) / kBoard);
  const Element board(board_index, 7, style.key + 112);
  const float across = p.y + edge - (static_cast<float>(board_index) + 0.5F) * kBoard;
  const int stretch = floor_int(p.x / kKnots + board.uniform(3));
  const Element knot(board_index, stretch, style.key + 113);
  const Point from_knot{
      p.x - (static_cast<float>(stretch) + 0.3F + 0.4F * knot.uniform(0) - board.uniform(3)) * kKnots,
      across - 13 * knot.spread(1)};
  const float radius = length({from_knot.x * 0.62F, from_knot.y});
  const float size = 3.5F + 4 * knot.uniform(2);
  const float pull = knot.uniform(3) < 0.6F ? 1.0F : 0.0F;
  // Fibres flow around the knot.
  const float squeeze = pull * size * size * 1.9F / (radius * radius + 0.6F * size * size);
  const Point grain{p.x, p.y - from_knot.y * std::min(0.85F, squeeze)};
  SurfacePoint wood = timber(grain, style.color[0], style.color[1], board, style.key + 114);
  const float heart = pull * coverage((radius - size) / 1.5F);
  if (heart > 0) {
    const float rings = 0.9F + 0.2F * wave(radius / 2.6F + 0.4F * noise({p.x / 6, p.y / 6}, style.key + 115));
    wood.color = blend(wood.color, style.color[2] * rings, 0.85F * heart);
  }
  const float gap = kBoard / 2 - std::abs(across);
  wood.color = blend(style.color[3], wood.color, smooth_step(0.4F, 2.2F, gap));
  wood.height += 3.0F * smooth_step(0.0F, 4.5F, gap);
  return wood;
}

// Colours: two early woods, their late woods, gap.
SurfacePoint herringbone(Point p, const MaterialStyle& style) {
  constexpr float kUnit = 19;  // a plank is kUnit wide and kLength units long
  constexpr int kLength = 4;
  const int x = floor_int(p.x / kUnit);
  const int y = floor_int(p.y / kUnit);
  // Along every row of units, four of a lying plank alternate with four that belong to standing planks.
  const int phase = ((x - y) % (2 * kLength) + 2 * kLength) % (2 * kLength);
  const bool lying = phase < kLength;
  const int along_unit = lying ? phase : 2 * kLength - 1 - phase;
  const int first_x = lying ? x - along_unit : x;
  const int first_y = lying ? y : y - along_unit;
  const Point local = p - Point(static_cast<float>(first_x) * kUnit, static_cast<float>(first_y) * kUnit);
  const Point along = lying ? local : Point(local.y, local.x);
  const Element plank(2 * first_x + (lying ? 1 : 0), first_y, style.key + 121);
  const Element tint(2 * first_x + (lying ? 1 : 0), first_y, style.key + 122);
  const Point middle = along - Point(kUnit * kLength / 2, kUnit / 2);
  const float distance = rounded_box(middle, kUnit * kLength / 2 - 0.3F * tint.uniform(1),
                                     kUnit / 2 - 0.4F * tint.uniform(2), 1.5F);
  const float mix = tint.uniform(0);
  SurfacePoint floor = timber(along, blend(style.color[0], style.color[1], mix),
                              blend(style.color[2], style.color[3], mix), plank, style.key + 123);
  floor.color = blend(style.color[4], floor.color, smooth_step(-0.3F, -1.9F, distance));
  floor.height += 2.4F * smooth_step(0.0F, -3.0F, distance) + 0.03F * middle.y * tint.spread(3);
  floor.gloss = 0.25F;
  return floor;
}

}  // namespace contexton
