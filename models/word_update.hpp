// The update step of k-means: words move to the means of their rows, and words without rows get one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/rows.hpp"

namespace contexton {

[[nodiscard]] std::vector<std::int64_t> count_labels(std::span<const std::int32_t> labels, int words);

// Gives each empty word, lowest index first, the farthest row of the word with the largest sum of squared
// distances (ties: lowest index). Changes that row's label, its distance to 0, and the counts. Words with one
// row or no distance are not split, so some words may stay empty. Returns the number of words repaired.
//
// With the means taken afterwards the objective falls at least by the distances of the rows moved.
int repair_empty_words(std::span<std::int32_t> labels, std::span<float> squared_distances,
                       std::span<std::int64_t> counts);

// Moves every word to the mean of the rows with its label; empty words stay where they are. Sums are exact
// for uint8 rows and in double, in row order within fixed pieces, for float rows: the same bits for any
// number of threads. O(rows x dims), at most 2^32 - 1 rows.
void move_words_to_means(const Rows& rows, std::span<const std::int32_t> labels,
                         std::span<const std::int64_t> counts, Matrix& words);

}  // namespace contexton
