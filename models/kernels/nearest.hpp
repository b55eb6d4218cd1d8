// Exact search for the nearest word (squared Euclidean distance) of many rows.
#pragma once

#include <tbb/cache_aligned_allocator.h>

#include <cstdint>
#include <span>
#include <vector>

#include "models/rows.hpp"

namespace contexton {

// A codebook packed for the search: done once, O(words x dims), then shared by any number of threads.
class Words {
 public:
  // Throws std::invalid_argument when there is no word or no dimension, or a word holds NaN or infinity (the
  // message names the word).
  explicit Words(const Matrix& words);

  [[nodiscard]] int count() const { return static_cast<int>(words_.rows()); }
  [[nodiscard]] int dims() const { return static_cast<int>(words_.cols()); }
  [[nodiscard]] const Matrix& matrix() const { return words_; }

 private:
  friend class NearestSearch;
  using AlignedFloats = std::vector<float, tbb::cache_aligned_allocator<float>>;

  Matrix words_;
  AlignedFloats centre_;            // the mean word; the search works around it, where float is most exact
  AlignedFloats grouped_;           // [groups][dims][16], around the centre
  AlignedFloats minus_half_norms_;  // per word, around the centre
  double largest_norm_ = 0;         // of a word around the centre
};

// For each row the index of the nearest word and the squared distance to it.
//
// Exact: the label is the one that sum (x - w)^2 in double precision gives, a tie goes to the lowest index,
// and the squared distance is that sum rounded to float. Therefore the same for every CPU level, number of
// threads and way of cutting the rows into calls. Inside, float products find the leader; where a second word
// is within the proven rounding error, the contenders are settled in double.
//
// Rows must be finite; a row with NaN gets label 0 and distance NaN. Throws std::invalid_argument when dims
// or the spans' sizes do not fit. O(rows x words x dims) time, in parallel in the current TBB arena; the
// memory besides the outputs does not grow with rows or words. Data whose words coincide costs several times
// more.
void nearest_words(const Rows& rows, const Words& words, std::span<std::int32_t> label,
                   std::span<float> squared_distance);

// The same on the calling thread only. Returns the sum of the squared distances before they are rounded to
// float, added in row order.
double nearest_words_on_this_thread(const Rows& rows, const Words& words, std::span<std::int32_t> label,
                                    std::span<float> squared_distance);

// Squared distances of all rows to one vector, each summed in double, on the calling thread.
void squared_distances_to(const Rows& rows, std::span<const float> vector,
                          std::span<double> squared_distance);

}  // namespace contexton
