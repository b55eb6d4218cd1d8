// Puts the built-in sample images together: two materials, a border, light, a lens and a sensor.
#include "stages/input/builtin_textures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "stages/input/builtin_texture_recipes.hpp"

namespace contexton {

using namespace shading;

namespace {

constexpr int kWidth = kBuiltinWidth;
constexpr int kHeight = kBuiltinHeight;

// Where one image sits in gray levels; both of its regions are brought there.
struct GrayTarget {
  float mean;
  float deviation;
};

// One value per pixel.
template <class Value>
class Plane {
 public:
  Plane() : values_(static_cast<std::size_t>(kWidth) * kHeight) {}
  Value& operator()(int x, int y) { return values_[static_cast<std::size_t>(y * kWidth + x)]; }
  const Value& operator()(int x, int y) const { return values_[static_cast<std::size_t>(y * kWidth + x)]; }

 private:
  std::vector<Value> values_;
};

using Picture = Plane<Color>;  // as on a screen, 0..1
using Field = Plane<float>;    // positive where label 1 is, in pixels from the border

Field draw_field(BuiltinLayout layout, std::uint64_t key) {
  const SmoothField<float> smooth(kWidth, kHeight, [&](Point p) { return layout_field(layout, p, key); });
  Field field;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) field(x, y) = smooth.at(x, y);
  }
  return field;
}

// How far a draped material is pulled sideways and lifted, in pixels.
struct Bend {
  Point sideways;
  float lift = 0;
};
Bend blend(const Bend& a, const Bend& b, float t) {
  return {shading::blend(a.sideways, b.sideways, t), shading::blend(a.lift, b.lift, t)};
}

// A material draped into the image: turned, scaled, stretched here and there, and folded.
class Drape {
 public:
  Drape(const BuiltinSwatch& swatch, std::uint64_t key)
      : swatch_(swatch), bend_(kWidth, kHeight, [&](Point p) { return bend_at(p, swatch.folds, key); }) {
    style_.key = mix_bits(key);
    std::transform(swatch.palette.begin(), swatch.palette.end(), style_.color.begin(), linear_color);
    cosine_ = wave(swatch.turn + 0.25F) / swatch.size;
    sine_ = wave(swatch.turn) / swatch.size;
  }

  [[nodiscard]] SurfacePoint at(int x, int y) const {
    const Bend bend = bend_.at(x, y);
    const Point moved{static_cast<float>(x - kWidth / 2) + bend.sideways.x,
                      static_cast<float>(y - kHeight / 2) + bend.sideways.y};
    SurfacePoint point =
        swatch_.material({cosine_ * moved.x - sine_ * moved.y, sine_ * moved.x + cosine_ * moved.y}, style_);
    point.height = point.height * swatch_.size + bend.lift;
    return point;
  }

 private:
  static Bend bend_at(Point p, float folds, std::uint64_t key) {
    const Point coarse = p / 230;
    const float stretch = 5 + 11 * folds;
    const Point along_folds = rotated(p, static_cast<float>(key & 255U) / 256);
    return {{stretch * noise(coarse, key + 1), stretch * noise(coarse, key + 2)},
            46 * folds * fractal_noise({along_folds.x / 150, along_folds.y / 520}, key + 3, 2)};
  }

  const BuiltinSwatch& swatch_;
  MaterialStyle style_;
  SmoothField<Bend> bend_;
  float cosine_;
  float sine_;
};

// A lamp far away, with a wide falloff over the image.
class Light {
 public:
  explicit Light(float turn) : direction_(wave(turn + 0.25F), wave(turn)) {}

  // What the camera sees of a surface that climbs by `slope` (height per pixel) at image position p.
  [[nodiscard]] Color reflected(const SurfacePoint& point, Point slope, Point p) const {
    const float norm = std::sqrt(1 + slope.x * slope.x + slope.y * slope.y);
    const float toward = (kElevation - kSpread * slope.dot(direction_)) / norm;
    const float diffuse = std::max(0.0F, toward) / kElevation;
    const float shine = clamp01((toward - 0.86F) / 0.14F);
    const float highlight = 0.45F * point.gloss * shine * shine * shine;
    return (point.color * (kAmbient + (1 - kAmbient) * diffuse) + kWhite * highlight) * falloff(p);
  }

 private:
  static constexpr float kAmbient = 0.3F;
  static constexpr float kElevation = 0.76F;  // upward and sideways part of the unit vector to the lamp
  static constexpr float kSpread = 0.65F;

  [[nodiscard]] float falloff(Point p) const {
    const Point q{p.x / kWidth - 0.5F, p.y / kHeight - 0.5F};
    return 1 + 0.34F * q.dot(direction_) - 0.22F * q.dot(q);
  }

  Point direction_;  // unit vector in the image plane, from the surface to the lamp
};

// Draws one region (where `field` * `sign` > 0, and a little beyond for the border) as the camera sees it.
Picture draw_region(const BuiltinSwatch& swatch, std::uint64_t key, const Light& light, const Field& field,
                    float sign) {
  constexpr float kBeyond = 4;  // border pixels show both regions, and their slopes need neighbours
  const Drape drape(swatch, key);
  // Light needs the slope, so the surface runs one row ahead of it; three rows are enough.
  std::array<std::vector<SurfacePoint>, 3> surface;
  surface.fill(std::vector<SurfacePoint>(kWidth));
  const auto row_of = [&](int y) -> std::vector<SurfacePoint>& {
    return surface[static_cast<std::size_t>(y % 3)];
  };
  const auto draw_row = [&](int y) {
    for (int x = 0; x < kWidth; ++x) {
      if (sign * field(x, y) > -kBeyond) row_of(y)[static_cast<std::size_t>(x)] = drape.at(x, y);
    }
  };
  Picture picture;
  draw_row(0);
  for (int y = 0; y < kHeight; ++y) {
    if (y + 1 < kHeight) draw_row(y + 1);
    const SurfacePoint* above = row_of(std::max(y - 1, 0)).data();
    const SurfacePoint* here = row_of(y).data();
    const SurfacePoint* below = row_of(std::min(y + 1, kHeight - 1)).data();
    for (int x = 0; x < kWidth; ++x) {
      if (sign * field(x, y) <= 2 - kBeyond) continue;
      const Point slope{(here[std::min(x + 1, kWidth - 1)].height - here[std::max(x - 1, 0)].height) / 2,
                        (below[x].height - above[x].height) / 2};
      const Point place{static_cast<float>(x), static_cast<float>(y)};
      picture(x, y) = on_screen(light.reflected(here[x], slope, place));
    }
  }
  return picture;
}

float gray_of(const Color& color) {
  return 0.114F * color.blue + 0.587F * color.green + 0.299F * color.red;
}

// Brings mean and contrast of gray in one region to a target; hue stays.
struct GrayMatch {
  float gain = 1;
  Color shift;
  [[nodiscard]] Color apply(const Color& color) const { return color * gain + shift; }
};

GrayMatch match_gray(const Picture& picture, const Field& field, float sign, const GrayTarget& target) {
  double blue = 0, green = 0, red = 0, gray_squares = 0, count = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      if (sign * field(x, y) <= 0) continue;
      const Color& color = picture(x, y);
      const double gray = gray_of(color);
      blue += color.blue;
      green += color.green;
      red += color.red;
      gray_squares += gray * gray;
      count += 1;
    }
  }
  const Color middle{static_cast<float>(blue / count), static_cast<float>(green / count),
                     static_cast<float>(red / count)};
  const float mean = gray_of(middle);
  const float deviation = std::sqrt(static_cast<float>(gray_squares / count) - mean * mean);
  GrayMatch match;
  match.gain = target.deviation / deviation;
  match.shift = middle * (target.mean / mean - match.gain);  // the mean colour is brightened, not grayed
  return match;
}

// Joins the regions; a border pixel shows a bit of both.
Picture join_regions(const Picture& first, const GrayMatch& match_first, const Picture& second,
                     const GrayMatch& match_second, const Field& field) {
  Picture joined;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float cover = coverage(-field(x, y));
      if (cover <= 0) {
        joined(x, y) = match_first.apply(first(x, y));
      } else if (cover >= 1) {
        joined(x, y) = match_second.apply(second(x, y));
      } else {
        joined(x, y) = blend(match_first.apply(first(x, y)), match_second.apply(second(x, y)), cover);
      }
    }
  }
  return joined;
}

// The lens: a pixel takes 15% from each of its two neighbours, first along rows, then along columns.
void soften(Picture& picture) {
  const auto soft = [](const Color& before, const Color& here, const Color& after) {
    return here * 0.7F + (before + after) * 0.15F;
  };
  for (int y = 0; y < kHeight; ++y) {
    Color before = picture(0, y);
    for (int x = 0; x < kWidth; ++x) {
      const Color here = picture(x, y);
      picture(x, y) = soft(before, here, picture(std::min(x + 1, kWidth - 1), y));
      before = here;
    }
  }
  std::vector<Color> above(&picture(0, 0), &picture(0, 0) + kWidth);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Color here = picture(x, y);
      picture(x, y) =
          soft(above[static_cast<std::size_t>(x)], here, picture(x, std::min(y + 1, kHeight - 1)));
      above[static_cast<std::size_t>(x)] = here;
    }
  }
}

// The sensor: noise common to the channels and of each channel, then 8 bits.
cv::Mat through_sensor(const Picture& picture, std::uint64_t key) {
  // Standard deviations of 2 and 1.6 gray levels, over those of a sum of four random bytes and of one byte.
  constexpr float kCommon = 2.0F / 255 / 147.8F;
  constexpr float kChannel = 1.6F / 255 / 73.9F;
  cv::Mat_<cv::Vec3b> pixels(kHeight, kWidth);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const std::uint64_t bits = lattice_bits(x, y, key);
      const auto byte = [bits](int i) { return static_cast<float>((bits >> (8 * i)) & 255U) - 127.5F; };
      const float common = kCommon * (byte(0) + byte(1) + byte(2) + byte(3));
      const auto counted = [&](float value, int own) {
        return static_cast<std::uint8_t>(255 * clamp01(value + common + kChannel * byte(own)) + 0.5F);
      };
      const Color& color = picture(x, y);
      pixels(y, x) = {counted(color.blue, 4), counted(color.green, 5), counted(color.red, 6)};
    }
  }
  return pixels;
}

const BuiltinRecipe& recipe_of(std::size_t index) {
  if (index >= builtin_recipes().size()) throw std::out_of_range("no built-in texture image has that index");
  return builtin_recipes()[index];
}

}  // namespace

std::size_t builtin_texture_count() {
  return builtin_recipes().size();
}

std::string builtin_texture_name(std::size_t index) {
  const BuiltinRecipe& recipe = recipe_of(index);
  return std::string(recipe.first.name) + "_" + recipe.second.name;
}

BuiltinTexture make_builtin_texture(std::size_t index) {
  const BuiltinRecipe& recipe = recipe_of(index);
  Random random = Random(0xB0117).fork(index);
  const Field field = draw_field(recipe.layout, random.bits());
  const Light light(recipe.light_turn);
  const GrayTarget target{static_cast<float>(random.uniform(0.43, 0.51)),
                          static_cast<float>(random.uniform(0.13, 0.155))};

  const Picture first = draw_region(recipe.first, random.bits(), light, field, -1);
  const Picture second = draw_region(recipe.second, random.bits(), light, field, 1);
  Picture picture = join_regions(first, match_gray(first, field, -1, target), second,
                                 match_gray(second, field, 1, target), field);
  soften(picture);

  BuiltinTexture texture;
  texture.name = builtin_texture_name(index);
  texture.pixels = through_sensor(picture, random.bits());
  texture.truth = cv::Mat(kHeight, kWidth, CV_8UC1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) texture.truth.at<std::uint8_t>(y, x) = field(x, y) > 0 ? 1 : 0;
  }
  return texture;
}

}  // namespace contexton
