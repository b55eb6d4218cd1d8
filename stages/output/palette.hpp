// Colours for labels that also colour-blind readers can tell apart.
//
// The first twelve were chosen by search: under normal sight, protanopia and deuteranopia (simulated after
// Machado et al. 2009) every two of them differ by at least 17 in CIE L*a*b*, 38 under normal sight, and any
// first few of them are further apart still. All are of middle lightness, legible on dark gray and on white.
// No thirteenth colour keeps that distance, so that further ones only vary hue and repeat by eye.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contexton {

using Colour = std::uint32_t;  // 0xRRGGBB

inline constexpr std::size_t kDistinctColours = 12;

// The i-th colour: distinct for i < kDistinctColours, then by hue, where neighbours in i lie far apart.
[[nodiscard]] Colour palette_colour(std::size_t i);

// A colour per label. Up to kDistinctColours labels, label i has colour i. With more, the commonest labels
// get the distinct colours (`counts` decides, ties by index) and the others one that depends on their index
// only.
[[nodiscard]] std::vector<Colour> label_colours(std::span<const std::int64_t> counts);

}  // namespace contexton
