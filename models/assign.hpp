// Gives every row the label of its nearest word.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/kernels/nearest.hpp"
#include "models/rows.hpp"

namespace contexton {

struct Assignment {
  std::vector<std::int32_t> labels;      // nearest word of each row; ties go to the lowest index
  std::vector<float> squared_distances;  // to that word
  double objective = 0;                  // sum of the squared distances, not rounded to float on the way
};

// Exact (see nearest_words). Throws std::invalid_argument when dims differ, there is no word, or a row or
// word is not finite. No rows give an empty result.
[[nodiscard]] Assignment assign(const Rows& rows, const Matrix& words);

struct AssignmentChange {
  double objective = 0;    // sum of the squared distances, the same bits for any number of threads
  std::int64_t moved = 0;  // rows whose label changed
};

// Updates labels and distances in place. `on_block`, if set, is called on the calling thread several times a
// second with the fraction done; what it throws ends the work, with part of the labels updated.
AssignmentChange reassign(const Rows& rows, const Words& words, std::span<std::int32_t> labels,
                          std::span<float> squared_distances,
                          const std::function<void(double)>& on_block = {});

// Throws std::invalid_argument that names the first row with NaN, infinity, or a number beyond +-1e15 (its
// square would leave the range of float).
void check_finite(const Rows& rows);

}  // namespace contexton
