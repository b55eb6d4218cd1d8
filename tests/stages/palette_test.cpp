// Tests of the palette: colours are far apart for normal and colour-blind eyes, and go to the right labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "stages/output/label_style.hpp"
#include "stages/output/palette.hpp"
#include "tests/stages/small_sets.hpp"

namespace contexton::testing {
namespace {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

// Machado, Oliveira and Fernandes 2009, severity 1.
constexpr Matrix3 kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix3 kProtanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix3 kDeuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

Vector3 times(const Matrix3& matrix, const Vector3& vector) {
  Vector3 product{};
  for (std::size_t r = 0; r < 3; ++r)
    product[r] = std::inner_product(matrix[r].begin(), matrix[r].end(), vector.begin(), 0.0);
  return product;
}

Vector3 linear_rgb(Colour colour) {
  Vector3 rgb{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double value = static_cast<double>(colour >> (16 - 8 * c) & 0xff) / 255;
    rgb[c] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

Vector3 lab_seen_with(const Matrix3& sight, Colour colour) {
  Vector3 rgb = times(sight, linear_rgb(colour));
  for (double& channel : rgb) channel = std::clamp(channel, 0.0, 1.0);
  constexpr Matrix3 kToXyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  Vector3 f = times(kToXyz, rgb);
  const Vector3 white{0.95047, 1, 1.08883};
  for (std::size_t c = 0; c < 3; ++c) {
    const double ratio = f[c] / white[c];
    f[c] = ratio > 0.008856 ? std::cbrt(ratio) : 7.787 * ratio + 16.0 / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double smallest_difference(const Matrix3& sight, std::size_t colours) {
  double smallest = 1e9;
  for (std::size_t i = 0; i < colours; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vector3 a = lab_seen_with(sight, palette_colour(i)), b = lab_seen_with(sight, palette_colour(j));
      smallest = std::min(smallest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
  return smallest;
}

TEST(Palette, distinct_colours_are_as_far_apart_as_promised) {
  EXPECT_GT(smallest_difference(kNormal, kDistinctColours), 38);
  EXPECT_GT(smallest_difference(kProtanopia, kDistinctColours), 17);
  EXPECT_GT(smallest_difference(kDeuteranopia, kDistinctColours), 17);
}

TEST(Palette, fewer_colours_are_further_apart) {
  for (const Matrix3& sight : {kNormal, kProtanopia, kDeuteranopia}) {
    EXPECT_GT(smallest_difference(sight, 4), 30);
    EXPECT_GT(smallest_difference(sight, 2), 80);
  }
}

TEST(Palette, colours_beyond_the_distinct_ones_vary) {
  std::set<Colour> colours;
  for (std::size_t i = 0; i < 200; ++i) colours.insert(palette_colour(i));
  EXPECT_GT(colours.size(), 195U);
  for (const Colour colour : colours) EXPECT_LE(colour, 0xFFFFFFU);
}

TEST(Palette, few_labels_have_the_colour_of_their_number) {
  const std::vector<Colour> colours = label_colours(std::vector<std::int64_t>{1, 50, 7});
  EXPECT_EQ(colours, (std::vector<Colour>{palette_colour(0), palette_colour(1), palette_colour(2)}));
}

TEST(Palette, of_many_labels_the_commonest_get_the_distinct_colours) {
  std::vector<std::int64_t> counts(40);
  for (std::size_t label = 0; label < counts.size(); ++label)
    counts[label] = static_cast<std::int64_t>(label);
  const std::vector<Colour> colours = label_colours(counts);
  for (std::size_t rank = 0; rank < kDistinctColours; ++rank)
    EXPECT_EQ(colours[39 - rank], palette_colour(rank));
  // A rare label keeps its colour however the others change.
  counts[39] = 1;
  EXPECT_EQ(label_colours(counts)[5], colours[5]);
}

TEST(LabelStyle, counts_names_and_numbers_labels) {
  Labels labels = labels_with({0, 2, 2, -1, 2});
  labels.names = {"brick"};
  const LabelStyle style = style_of(labels);
  EXPECT_EQ(style.counts, (std::vector<std::int64_t>{1, 0, 3}));
  EXPECT_EQ(style.name(0), "brick");
  EXPECT_EQ(style.name(2), "word 2");
  EXPECT_EQ(style_of(labels_with({-1, -1})).size(), 0U);
  EXPECT_EQ(style_of(labels_with({})).size(), 0U);
}

}  // namespace
}  // namespace contexton::testing
