// The small toolbox the built-in textures are drawn with: noise, waves, soft edges and colours.
//
// Only +, -, *, / and sqrt are used on floats: IEEE arithmetic fixes their results to the last bit, whereas a
// math library's sin or exp differs between CPUs. So the pictures have the same bytes on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

#include "models/random.hpp"

namespace contexton::shading {

using Point = cv::Point2f;  // pixels

// Three channels, 0..1. A plain struct because compilers keep it in registers, unlike cv::Vec.
struct Color {
  float blue = 0;
  float green = 0;
  float red = 0;
};
inline Color operator+(const Color& a, const Color& b) {
  return {a.blue + b.blue, a.green + b.green, a.red + b.red};
}
inline Color operator-(const Color& a, const Color& b) {
  return {a.blue - b.blue, a.green - b.green, a.red - b.red};
}
inline Color operator*(const Color& a, float t) {
  return {a.blue * t, a.green * t, a.red * t};
}

constexpr Color kWhite{1, 1, 1};

// Linear light from 0xRRGGBB as on a screen, and back. A gamma of 2 is close to sRGB and needs no pow().
inline Color linear_color(std::uint32_t rgb) {
  const auto linear = [rgb](int shift) {
    const float encoded = static_cast<float>((rgb >> shift) & 255U) / 255.0F;
    return encoded * encoded;
  };
  return {linear(0), linear(8), linear(16)};
}

inline Color on_screen(const Color& linear) {
  const auto encoded = [](float light) { return std::sqrt(std::max(0.0F, light)); };
  return {encoded(linear.blue), encoded(linear.green), encoded(linear.red)};
}

// By value, unlike std::clamp: compiles to two instructions without a branch.
inline float clamp01(float x) {
  const float positive = x > 0 ? x : 0;
  return positive < 1 ? positive : 1;
}

inline float blend(float a, float b, float t) {
  return a + (b - a) * t;
}
inline Point blend(Point a, Point b, float t) {
  return a + (b - a) * t;
}
inline Color blend(const Color& a, const Color& b, float t) {
  return a + (b - a) * t;
}

inline float smooth_step(float low, float high, float x) {
  const float t = clamp01((x - low) / (high - low));
  return t * t * (3 - 2 * t);
}

// How much of a pixel a shape covers, from the signed distance to its outline (negative inside, in pixels).
inline float coverage(float distance) {
  return clamp01(0.5F - distance / 1.4F);
}

inline int floor_int(float x) {
  const int truncated = static_cast<int>(x);
  return truncated - (x < static_cast<float>(truncated) ? 1 : 0);
}
inline float fraction(float x) {
  return x - static_cast<float>(floor_int(x));
}

// Close to sin(2 pi turns), within 0.0011.
inline float wave(float turns) {
  const float t = turns - static_cast<float>(floor_int(turns + 0.5F));
  const float parabola = 8 * t * (1 - 2 * std::abs(t));
  return parabola + 0.225F * (parabola * std::abs(parabola) - parabola);
}

inline float length(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}
inline Point rotated(Point p, float turns) {
  const float s = wave(turns);
  const float c = wave(turns + 0.25F);
  return {c * p.x - s * p.y, s * p.x + c * p.y};
}

// 64 well-mixed bits for a place of an integer grid.
inline std::uint64_t lattice_bits(int x, int y, std::uint64_t key) {
  const auto place =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32U) | static_cast<std::uint32_t>(y);
  return mix_bits(key ^ (place * 0x9fb21c651e98df25ULL));
}

// Up to four independent numbers that belong to one element of a texture (one brick, one petal, ...).
class Element {
 public:
  Element(int x, int y, std::uint64_t key) : bits_(lattice_bits(x, y, key)) {}
  [[nodiscard]] float uniform(unsigned which) const {  // [0, 1)
    return static_cast<float>((bits_ >> (16 * which)) & 0xffffU) / 65536.0F;
  }
  [[nodiscard]] float spread(unsigned which) const { return 2 * uniform(which) - 1; }  // [-1, 1)

 private:
  std::uint64_t bits_;
};

// Random slopes for noise(), and a shuffle of 0..255 that spreads them over the plane.
struct NoiseTables {
  std::array<std::uint8_t, 256> shuffle{};
  std::array<std::array<float, 2>, 256> slope{};

  constexpr NoiseTables() {
    Random random(0x7e7);
    for (std::size_t i = 0; i < 256; ++i) {
      const std::size_t j = random.below(i + 1);
      shuffle[i] = shuffle[j];
      shuffle[j] = static_cast<std::uint8_t>(i);
      slope[i] = {static_cast<float>(random.uniform(-1.6, 1.6)),
                  static_cast<float>(random.uniform(-1.6, 1.6))};
    }
  }
};
inline constexpr NoiseTables kNoiseTables;

// Gradient noise with one feature per unit; smooth, mean 0, mostly within [-1, 1]. Repeats after 256 units.
// Table look-ups because this is where most of the drawing time goes.
inline float noise(Point p, std::uint64_t key) {
  const int x = floor_int(p.x);
  const int y = floor_int(p.y);
  const float fx = p.x - static_cast<float>(x);
  const float fy = p.y - static_cast<float>(y);
  const auto shuffled = [](std::uint32_t i) -> std::uint32_t { return kNoiseTables.shuffle[i & 255U]; };
  // Neighbouring keys must not give shifted copies of the same noise.
  const std::uint64_t mixed = key * 0x9fb21c651e98df25ULL;
  const auto column = static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(mixed >> 56U);
  const auto row = static_cast<std::uint32_t>(y) + static_cast<std::uint32_t>(mixed >> 48U);
  const auto variant = static_cast<std::uint32_t>(mixed >> 40U) & 255U;
  const std::uint32_t left = shuffled(column) + row;
  const std::uint32_t right = shuffled(column + 1) + row;
  const auto height = [&](std::uint32_t place, float dx, float dy) {
    const auto& slope = kNoiseTables.slope[shuffled(place) ^ variant];
    return slope[0] * dx + slope[1] * dy;
  };
  const float tx = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
  const float ty = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
  return blend(blend(height(left, fx, fy), height(right, fx - 1, fy), tx),
               blend(height(left + 1, fx, fy - 1), height(right + 1, fx - 1, fy - 1), tx), ty);
}

// Noise of several octaves, each half as coarse and half as strong.
inline float fractal_noise(Point p, std::uint64_t key, int octaves) {
  float sum = 0;
  float strength = 0.6F;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += strength * noise(p, key + static_cast<std::uint64_t>(octave));
    p = {2.03F * p.x + 17.3F, 2.03F * p.y - 9.1F};
    strength *= 0.5F;
  }
  return sum;
}

// Calls visit(column, row, offset of p from the cell's centre) for the four cells nearest to p. Odd rows are
// moved by `stagger` of a cell. An element drawn this way may reach up to one cell from its centre.
template <class Visit>
void for_near_cells(Point p, float width, float height, float stagger, Visit visit) {
  const int top = floor_int(p.y / height);
  for (int row = top; row <= top + 1; ++row) {
    const float moved = (row & 1) != 0 ? stagger : 0.0F;
    const int left = floor_int(p.x / width - moved);
    for (int column = left; column <= left + 1; ++column) {
      const Point center{(static_cast<float>(column) + moved) * width, static_cast<float>(row) * height};
      visit(column, row, p - center);
    }
  }
}

// A slowly varying quantity over an image: sampled every few pixels, interpolated between.
template <class Value>
class SmoothField {
 public:
  template <class Function>
  SmoothField(int width, int height, Function value_at) : columns_(width / kStep + 2) {
    for (int y = 0; y < height + kStep; y += kStep) {
      for (int x = 0; x < columns_ * kStep; x += kStep) {
        samples_.push_back(value_at(Point(static_cast<float>(x), static_cast<float>(y))));
      }
    }
  }
  [[nodiscard]] Value at(int x, int y) const {
    const Value* corner = &samples_[static_cast<std::size_t>(y / kStep * columns_ + x / kStep)];
    const float tx = static_cast<float>(x % kStep) / kStep;
    const float ty = static_cast<float>(y % kStep) / kStep;
    return blend(blend(corner[0], corner[1], tx), blend(corner[columns_], corner[columns_ + 1], tx), ty);
  }

 private:
  static constexpr int kStep = 4;
  int columns_;
  std::vector<Value> samples_;
};

}  // namespace contexton::shading
