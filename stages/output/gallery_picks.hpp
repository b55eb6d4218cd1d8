// Which primitives stand for each label: the most typical ones, from as many images as possible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/types/labels.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {

struct GalleryPick {
  std::size_t image = 0;  // index into the primitives' table
  std::int64_t row = 0;   // of the whole set
};

struct GalleryRow {
  std::size_t label = 0;
  std::int64_t count = 0;          // primitives with this label
  std::vector<GalleryPick> picks;  // most typical first
};

// The `rows` commonest labels that occur at all, commonest first (ties by index), each with at most `patches`
// primitives: first the nearest of every image in the order of distance, then, when images run out, the
// second nearest of every image, and so on. Labels without distances count as distance 0, so that earlier
// rows come first. `counts` are the primitives per label. O(primitives x log) time; memory grows with rows x
// patches and the largest image only.
[[nodiscard]] std::vector<GalleryRow> pick_typical(const Primitives& primitives, const Labels& labels,
                                                   std::span<const std::int64_t> counts, std::size_t rows,
                                                   std::size_t patches);

}  // namespace contexton
