// The table of distinct colours and the hues beyond it.
#include "stages/output/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace contexton {
namespace {

constexpr std::array<Colour, kDistinctColours> kDistinct{
    0x3C91E6,  // blue
    0xF5A623,  // amber
    0x00FFCC,  // mint
    0xDD1177,  // crimson
    0xDD7766,  // salmon
    0x9944AA,  // purple
    0x777700,  // olive
    0xBBEE66,  // lime
    0xEE99CC,  // pink
    0x007733,  // green
    0x44EEFF,  // cyan
    0xEECC88,  // sand
};

Colour from_hsv(double hue, double saturation, double value) {
  // The k-th channel falls and rises along the hue circle (Smith 1978), shifted by a third for each.
  const auto channel = [&](double shift) {
    const double place = std::fmod(shift + 6 * hue, 6.0);
    const double strength = std::clamp(std::min(place, 4 - place), 0.0, 1.0);
    return static_cast<Colour>(std::lround(255 * value * (1 - saturation * strength)));
  };
  return channel(5) << 16 | channel(3) << 8 | channel(1);
}

Colour hue_colour(std::size_t i) {
  constexpr double kGoldenRatio = 0.6180339887498949;  // spreads any run of indices evenly over the circle
  constexpr std::array<std::pair<double, double>, 3> kTones{{{0.70, 0.95}, {0.45, 1.00}, {0.85, 0.72}}};
  const double turns = static_cast<double>(i) * kGoldenRatio;
  const auto [saturation, value] = kTones[i % kTones.size()];
  return from_hsv(turns - std::floor(turns), saturation, value);
}

}  // namespace

Colour palette_colour(std::size_t i) {
  return i < kDistinctColours ? kDistinct[i] : hue_colour(i);
}

std::vector<Colour> label_colours(std::span<const std::int64_t> counts) {
  std::vector<Colour> colours(counts.size());
  for (std::size_t label = 0; label < counts.size(); ++label)
    colours[label] = counts.size() <= kDistinctColours ? kDistinct[label] : hue_colour(label);
  if (counts.size() <= kDistinctColours) return colours;

  std::vector<std::size_t> commonest(counts.size());
  std::iota(commonest.begin(), commonest.end(), std::size_t{0});
  std::ranges::stable_sort(commonest, std::greater{}, [&](std::size_t label) { return counts[label]; });
  for (std::size_t rank = 0; rank < kDistinctColours; ++rank) colours[commonest[rank]] = kDistinct[rank];
  return colours;
}

}  // namespace contexton
