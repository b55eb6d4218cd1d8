// k-means++ with sums in a fixed order, and plain random words.
#include "models/kmeans_start.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "models/kernels/nearest.hpp"
#include "models/sampling.hpp"

namespace contexton {
namespace {

constexpr std::int64_t kPieceRows = 1024;  // fixed, so that sums do not depend on threads

Eigen::RowVectorXf row_as_floats(const Rows& rows, std::int64_t i) {
  return rows.visit([&]<class T>(const T*) -> Eigen::RowVectorXf {
    const std::span<const T> row = rows.row<T>(i);
    return Eigen::Map<const Eigen::RowVector<T, Eigen::Dynamic>>(row.data(), rows.dims)
        .template cast<float>();
  });
}

// The squared distance of every row to the nearest word so far, and its sum per piece.
class ClosestWord {
 public:
  explicit ClosestWord(const Rows& rows)
      : rows_(rows),
        distance_(static_cast<std::size_t>(rows.count), std::numeric_limits<double>::infinity()),
        piece_sum_(static_cast<std::size_t>((rows.count + kPieceRows - 1) / kPieceRows)) {}

  void add(std::span<const float> word) {
    tbb::parallel_for(std::size_t{0}, piece_sum_.size(), [&](std::size_t piece) {
      const std::span<double> closest = piece_distances(piece);
      std::array<double, kPieceRows> to_word;
      const auto first = static_cast<std::int64_t>(piece) * kPieceRows;
      const auto size = static_cast<std::int64_t>(closest.size());
      squared_distances_to(rows_.slice(first, first + size), word, std::span(to_word).first(closest.size()));
      double sum = 0;
      for (std::size_t i = 0; i < closest.size(); ++i) {
        closest[i] = std::min(closest[i], to_word[i]);
        sum += closest[i];
      }
      piece_sum_[piece] = sum;
    });
  }

  [[nodiscard]] double total() const { return std::accumulate(piece_sum_.begin(), piece_sum_.end(), 0.0); }

  // The row at which the running sum of distances first exceeds `target`, 0 <= target < total(); or the last
  // row with a distance, where rounding lets the sum fall short of the target. There must be one.
  [[nodiscard]] std::int64_t row_at(double target) {
    std::size_t last_piece = piece_sum_.size() - 1;
    while (piece_sum_[last_piece] == 0) --last_piece;
    std::size_t piece = 0;
    while (piece < last_piece && target >= piece_sum_[piece]) target -= piece_sum_[piece++];

    const std::span<const double> closest = piece_distances(piece);
    std::size_t row = 0;
    double sum = 0;
    for (std::size_t i = 0; i < closest.size() && sum <= target; ++i) {
      if (closest[i] > 0) row = i;
      sum += closest[i];
    }
    return static_cast<std::int64_t>(piece * kPieceRows + row);
  }

 private:
  std::span<double> piece_distances(std::size_t piece) {
    const std::size_t first = piece * kPieceRows;
    return std::span(distance_).subspan(first, std::min<std::size_t>(kPieceRows, distance_.size() - first));
  }

  const Rows rows_;
  std::vector<double> distance_;
  std::vector<double> piece_sum_;
};

}  // namespace

Matrix kmeans_plus_plus(const Rows& rows, int words, Random random,
                        const std::function<void(double)>& on_word) {
  Matrix chosen(words, rows.dims);
  ClosestWord closest(rows);
  for (int word = 0; word < words; ++word) {
    const double total = word == 0 ? 0 : closest.total();
    const std::int64_t row =
        total > 0 ? closest.row_at(random.uniform() * total)
                  : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows.count)));
    chosen.row(word) = row_as_floats(rows, row);
    if (word + 1 < words) closest.add({chosen.row(word).data(), static_cast<std::size_t>(rows.dims)});
    if (on_word) on_word((word + 1.0) / words);
  }
  return chosen;
}

Matrix random_words(const Rows& rows, int words, Random random) {
  Matrix chosen(words, rows.dims);
  Eigen::Index word = 0;
  for (const std::int64_t row : sample_indices(rows.count, words, random)) {
    chosen.row(word++) = row_as_floats(rows, row);
  }
  return chosen;
}

}  // namespace contexton
