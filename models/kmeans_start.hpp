// Where k-means starts from.
#pragma once

#include <cstdint>
#include <functional>

#include "models/random.hpp"
#include "models/rows.hpp"

namespace contexton {

// k-means++ (Arthur & Vassilvitskii 2007): the first word is a row drawn at random, each next one a row drawn
// with probability proportional to its squared distance to the nearest word so far. When all rows lie on
// words already, the rest are rows drawn at random, which coincide with others. O(rows x words x dims), in
// parallel with the same result for any number of threads. `on_word`, if set, is called after each word with
// the fraction done and may throw.
[[nodiscard]] Matrix kmeans_plus_plus(const Rows& rows, int words, Random random,
                                      const std::function<void(double)>& on_word = {});

// `words` different rows, every choice equally likely.
[[nodiscard]] Matrix random_words(const Rows& rows, int words, Random random);

}  // namespace contexton
