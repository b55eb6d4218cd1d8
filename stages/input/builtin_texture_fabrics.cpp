// Fabrics of the built-in textures: prints on cloth, and things woven or knitted.
#include "stages/input/builtin_texture_patterns.hpp"

namespace contexton {

using namespace shading;

namespace {

// Plain-woven cotton: threads of `thread` pixels that pass over and under each other.
SurfacePoint cotton(Point p, const Color& dye, std::uint64_t key, float thread) {
  const float across = wave(p.x / (2 * thread));
  const float along = wave(p.y / (2 * thread));
  const float over = across * along;
  const float slub = noise({p.x / 2.7F, p.y / 31}, key) + noise({p.x / 29, p.y / 2.9F}, key + 1);
  SurfacePoint cloth;
  cloth.color = dye * (1 + 0.07F * over + 0.07F * slub);
  cloth.height = 0.22F * over;
  return cloth;
}

void print(SurfacePoint& cloth, const Color& dye, float cover) {
  // Dye sinks in: the threads stay visible through the ink.
  const float threads = 1 + 0.5F * cloth.height;
  cloth.color = blend(cloth.color, dye * threads, cover);
}

// cos(5 a) for the angle a of p, from (x + iy)^5 / |p|^5.
float five_fold(Point p) {
  const float norm = length(p) + 1e-3F;
  const float x = p.x / norm;
  const float y = p.y / norm;
  return x * (x * x * x * x - 10 * x * x * y * y + 5 * y * y * y * y);
}

// A leaf along +x from (0, 0) to (reach, 0): signed distance, good enough near the outline.
float leaf_outline(Point p, float reach, float half_width) {
  const float t = p.x / reach;
  const float body = 4 * t * (1 - t);
  const float outline = half_width * body * (1.15F - 0.45F * t);
  return std::max(std::abs(p.y) - outline, std::max(-p.x, p.x - reach));
}

}  // namespace

// Colours: ground, first flower, second flower, leaves, heart.
SurfacePoint flower_print(Point p, const MaterialStyle& style) {
  constexpr float kWidth = 60;
  constexpr float kHeight = 43;
  SurfacePoint cloth = cotton(p, style.color[0], style.key, 2.1F);
  // Sprigs of two leaves in the gaps of the staggered flowers.
  for_near_cells(p + Point(kWidth / 2, 0), kWidth, kHeight, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > 25 || std::abs(offset.y) > 25) return;
    const Element sprig(column, row, style.key + 11);
    const Point at = offset - Point(2 * sprig.spread(0), 2 * sprig.spread(1));
    const float turn = 0.125F + 0.05F * sprig.spread(2) + ((row & 1) != 0 ? 0.25F : 0.0F);
    const Point along = rotated(at, turn);
    for (const float side : {1.0F, -1.0F}) {
      const Point leaf = side * along;
      const float cover = coverage(leaf_outline(leaf, 19 + 3 * sprig.spread(3), 5.8F));
      if (cover <= 0) continue;
      const float vein = coverage(std::abs(leaf.y) - 0.5F);
      print(cloth, style.color[3] * (1 - 0.35F * vein + 0.25F * clamp01(leaf.y / 5)), cover);
    }
    print(cloth, style.color[4], coverage(length(at) - 3.4F));
  });
  for_near_cells(p, kWidth, kHeight, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > 28 || std::abs(offset.y) > 28) return;
    const Element flower(column, row, style.key + 12);
    const Point at = rotated(offset - Point(3 * flower.spread(0), 3 * flower.spread(1)), flower.uniform(2));
    const float radius = length(at);
    const float size = 22 * (1 + 0.1F * flower.spread(3));
    if (radius > size + 1) return;
    // Round petals: the notches between them are narrow.
    const float petals = five_fold(at);
    const float notch = 0.5F - 0.5F * petals;
    const float outline = size * (1 - 0.12F * notch - 0.26F * notch * notch * notch);
    const Color& dye = style.color[(row & 1) != 0 ? 2 : 1];
    const float toward_edge = clamp01(radius / outline);
    // Petals are pale at the rim, deep at the throat, with a darker seam between neighbours.
    const float seam = smooth_step(0.6F, 1.0F, notch) * smooth_step(1.0F, 0.6F, toward_edge);
    const float tone = 0.6F + 0.6F * toward_edge * toward_edge - 0.3F * seam;
    const Color petal = blend(dye * tone, kWhite, 0.25F * smooth_step(0.6F, 1, toward_edge));
    print(cloth, dye * 0.3F, coverage(radius - outline));
    print(cloth, petal, coverage(radius - outline + 1.8F));
    const float stamens = 0.85F + 0.3F * wave(at.x / 3.1F) * wave(at.y / 3.1F);
    print(cloth, style.color[4] * 0.4F, coverage(radius - 0.26F * size - 1));
    print(cloth, style.color[4] * stamens, coverage(radius - 0.26F * size + 0.6F));
  });
  return cloth;
}

// Colours: ground, first leaf, second leaf, veins, berries.
SurfacePoint leaf_print(Point p, const MaterialStyle& style) {
  constexpr float kWidth = 43;
  constexpr float kHeight = 41;
  SurfacePoint cloth = cotton(p, style.color[0], style.key, 1.9F);
  for_near_cells(p + Point(kWidth / 2, 0), kWidth, kHeight, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > 14 || std::abs(offset.y) > 14) return;
    const Element berry(column, row, style.key + 21);
    const Point at = offset - Point(2 * berry.spread(0), 2 * berry.spread(1));
    for (const Point place : {Point(-1, -4), Point(4, 2), Point(-4, 3)}) {
      const float radius = length(at - place);
      print(cloth, style.color[4] * (1.15F - 0.05F * radius), coverage(radius - 3.3F));
    }
  });
  for_near_cells(p, kWidth, kHeight, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > 30 || std::abs(offset.y) > 32) return;
    const Element leaf(column, row, style.key + 22);
    const float side = (row & 1) != 0 ? 1.0F : -1.0F;
    const float reach = 45 * (1 + 0.09F * leaf.spread(1));
    Point at = rotated(offset - Point(2.5F * leaf.spread(2), 2.5F * leaf.spread(3)),
                       0.25F + 0.09F * side + 0.03F * leaf.spread(0));
    at.y += side * (0.004F * at.x * at.x - 0.8F);  // the rib is bent
    at.x += reach / 2;
    const float distance = leaf_outline(at, reach, 12);
    print(cloth, style.color[3],
          coverage(std::max(std::abs(at.y) - 1.0F, std::max(at.x - 1, -6 - at.x))));  // stalk
    if (distance > 1) return;
    const float rib = std::abs(at.y) - 0.9F * (1.1F - at.x / reach);
    const float side_veins = std::abs(fraction((at.x - 0.9F * std::abs(at.y)) / 6.5F) - 0.5F) * 6.5F;
    const float veins = coverage(distance + 2) * std::max(coverage(rib), 0.7F * coverage(side_veins - 0.5F));
    const Color& dye = style.color[(column & 1) != 0 ? 1 : 2];
    print(cloth, dye * ((at.y > 0 ? 1.12F : 0.85F) * (1 + 0.1F * leaf.spread(0))), coverage(distance));
    print(cloth, style.color[3], 0.75F * veins);
  });
  return cloth;
}

// Colours: ground, dots, rings of every other dot.
SurfacePoint polka_dots(Point p, const MaterialStyle& style) {
  constexpr float kPitch = 38;
  SurfacePoint cloth = cotton(p, style.color[0], style.key, 2.4F);
  const float bleed = 0.5F * noise({p.x / 5, p.y / 5}, style.key + 32);
  for_near_cells(p, kPitch, kPitch * 0.87F, 0.5F, [&](int column, int row, Point offset) {
    if (std::abs(offset.x) > 20 || std::abs(offset.y) > 20) return;
    const Element dot(column, row, style.key + 31);
    const Point at = offset - Point(2.0F * dot.spread(0), 2.0F * dot.spread(1));
    const float size = 11.5F * (1 + 0.09F * dot.spread(2));
    const float radius = length(at) + bleed;
    const bool ringed = ((column + row) & 1) != 0;
    print(cloth, style.color[1] * (1 + 0.08F * dot.spread(3)), coverage(radius - size));
    if (ringed) print(cloth, style.color[2], coverage(radius - 0.55F * size));
  });
  return cloth;
}

// Colours: ground, broad band, second band, thin line, thinner line.
SurfacePoint tartan(Point p, const MaterialStyle& style) {
  constexpr float kSett = 76;
  struct Band {
    float from, to;
    std::size_t color;
  };
  static constexpr std::array<Band, 6> kBands{
      {{2, 24, 1}, {10, 13, 3}, {32, 36, 4}, {44, 66, 2}, {50, 53, 0}, {57, 60, 0}}};
  const auto thread_color = [&](float position, std::uint64_t key, float along) {
    const float place = fraction(position / kSett) * kSett;
    Color dye = style.color[0];
    for (const Band& band : kBands) {
      dye = blend(dye, style.color[band.color], coverage(std::max(band.from - place, place - band.to)));
    }
    return dye * (1 + 0.13F * noise({position / 2.3F, along / 40}, key));
  };
  const Color warp = thread_color(p.x, style.key + 41, p.y);
  const Color weft = thread_color(p.y, style.key + 42, p.x);
  // 2/2 twill: the diagonal of warp threads lying on top.
  const float diagonal = wave((p.x + p.y) / 7.5F);
  const float hair = noise({p.x / 1.7F, p.y / 1.7F}, style.key + 43);
  SurfacePoint cloth;
  cloth.color = blend(warp, weft, 0.5F + 0.42F * diagonal) * (1 + 0.1F * hair);
  cloth.height = 0.35F * diagonal + 0.25F * hair;
  return cloth;
}

// Colours: yarn, yarn of the second stripe, shadow between loops.
SurfacePoint knitwear(Point p, const MaterialStyle& style) {
  constexpr float kWale = 34;    // width of a column of stitches
  constexpr float kCourse = 25;  // height of a stitch
  const float wobble = 1.2F * noise({p.x / 37, p.y / 37}, style.key + 51);
  const float column = p.x / kWale + 0.03F * wobble;
  const int wale = floor_int(column);
  const float side = (column - static_cast<float>(wale) - 0.5F) * kWale;  // from the column's middle
  const float half = kWale / 2;
  const Element jitter(wale, side > 0 ? 1 : 0, style.key + 52);
  // Each half of a V is a plump piece of yarn that leans towards the middle at its foot.
  const float s = std::abs(side);
  const float v = p.y + wobble + 1.05F * (s - half) + 2 * jitter.spread(0);
  const int course = floor_int(v / kCourse);
  const float along = v - (static_cast<float>(course) + 0.5F) * kCourse;
  const Element loop(2 * wale + (side > 0 ? 1 : 0), course, style.key + 53);
  const float across_column = (s - half / 2) / (half * 0.56F);
  const float across_loop = along / (kCourse * (0.53F + 0.02F * loop.spread(1)));
  const float roundness =
      1 - across_column * across_column * across_column * across_column - across_loop * across_loop;
  const float body = std::sqrt(std::max(0.0F, roundness));
  // The twist of the plies runs slantwise over the loop.
  const float twist = wave((0.8F * along + 0.9F * s) / 7.5F + loop.uniform(2));
  const float fuzz = fractal_noise({p.x / 3, p.y / 3}, style.key + 54, 2);
  const Color& yarn = style.color[(course % 6 + 6) % 6 < 4 ? 0 : 1];
  SurfacePoint cloth;
  cloth.color = blend(style.color[2], yarn * (1 + 0.1F * loop.spread(3) + 0.1F * twist + 0.16F * fuzz),
                      smooth_step(0.0F, 0.55F, body));
  cloth.height = 7 * body + 0.5F * twist * body + 0.7F * fuzz;
  return cloth;
}

// Colours: strand, lighter strand, darker strand, gap.
SurfacePoint basket_weave(Point p, const MaterialStyle& style) {
  constexpr float kPitch = 32;
  const int column = floor_int(p.x / kPitch);
  const int row = floor_int(p.y / kPitch);
  SurfacePoint best;
  best.color = style.color[3];
  best.height = -7;
  // A strand runs along `along`; `index` tells the strands apart, and neighbours pass over where it passes
  // under.
  const auto strand = [&](float along, float across, int index, std::uint64_t key, float phase) {
    const float from_middle = across - (static_cast<float>(index) + 0.5F) * kPitch;
    if (std::abs(from_middle) > 0.57F * kPitch) return;
    const Element own(index, 0, key);
    const float offset = from_middle - 0.035F * kPitch * own.spread(0) +
                         0.9F * noise({along / 45, static_cast<float>(index)}, key + 1);
    const float half_width = kPitch * (0.455F + 0.025F * own.spread(1));
    const float u = offset / half_width;
    if (std::abs(u) > 1) return;
    const float arch = wave(along / (2 * kPitch) + (((index & 1) != 0) ? 0.5F : 0.0F) + phase);
    const float reeds = std::abs(wave(offset / (kPitch * 0.457F) + 0.25F));  // four reeds lie side by side
    const float height = 5.5F * arch + 2.6F * std::sqrt(1 - u * u) + 1.5F * std::sqrt(reeds);
    if (height <= best.height) return;
    const float fiber =
        noise({along / 26, offset / 1.5F}, key + 2 + static_cast<std::uint64_t>(index & 1023));
    const float tone =
        own.spread(2) + 0.6F * noise({along / 70, offset / 8 + 9.0F * own.uniform(3)}, key + 3);
    const Color base = tone > 0 ? blend(style.color[0], style.color[1], std::min(1.0F, tone))
                                : blend(style.color[0], style.color[2], std::min(1.0F, -tone));
    best.height = height + 0.35F * fiber;
    best.color = base * ((1 + 0.16F * fiber) * blend(0.45F, 1.0F, smooth_step(-0.9F, 0.4F, arch)) *
                         blend(0.62F, 1.0F, smooth_step(0.05F, 0.5F, reeds)));
    best.gloss = 0.12F;
  };
  for (int near = -1; near <= 1; ++near) {
    strand(p.x, p.y, row + near, style.key + 61, 0.0F);
    strand(p.y, p.x, column + near, style.key + 65, 0.5F);
  }
  return best;
}

}  // namespace contexton
