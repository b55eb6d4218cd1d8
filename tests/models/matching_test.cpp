// Tests of the optimal matching against all matchings of small matrices.
#include "models/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/random.hpp"

namespace contexton {
namespace {

// The highest gain of any matching of min(rows, columns) pairs, by trying all orders of the longer side.
double best_gain_by_trying_all(Eigen::MatrixXd gain) {
  if (gain.rows() > gain.cols()) gain.transposeInPlace();
  std::vector<int> order(static_cast<std::size_t>(gain.cols()));
  std::iota(order.begin(), order.end(), 0);
  double best = -1e300;
  do {
    double sum = 0;
    for (Eigen::Index row = 0; row < gain.rows(); ++row)
      sum += gain(row, order[static_cast<std::size_t>(row)]);
    best = std::max(best, sum);
  } while (std::ranges::next_permutation(order).found);
  return best;
}

double checked_gain(const Eigen::MatrixXd& gain) {
  const std::vector<int> columns = best_matching(gain);
  EXPECT_EQ(columns.size(), static_cast<std::size_t>(gain.rows()));
  std::set<int> used;
  double sum = 0;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    if (columns[row] < 0) continue;
    EXPECT_TRUE(used.insert(columns[row]).second) << "column " << columns[row] << " is used twice";
    sum += gain(static_cast<Eigen::Index>(row), columns[row]);
  }
  EXPECT_EQ(static_cast<Eigen::Index>(used.size()), std::min(gain.rows(), gain.cols()));
  return sum;
}

TEST(Matching, equals_the_best_of_all_matchings) {
  Random random(1);
  for (int trial = 0; trial < 600; ++trial) {
    const auto rows = static_cast<Eigen::Index>(1 + random.below(6));
    const auto columns = static_cast<Eigen::Index>(1 + random.below(6));
    // Few different values bring many ties; negative gains must be matched, too.
    const double spread = trial % 2 == 0 ? 3 : 1000;
    Eigen::MatrixXd gain(rows, columns);
    for (double& value : gain.reshaped()) value = std::floor(random.uniform(-spread, spread));
    ASSERT_EQ(checked_gain(gain), best_gain_by_trying_all(gain)) << gain;
  }
}

TEST(Matching, finds_a_hidden_permutation_among_many) {
  const int size = 120;
  Random random(2);
  std::vector<int> hidden(size);
  std::iota(hidden.begin(), hidden.end(), 0);
  for (int i = size - 1; i > 0; --i) {
    std::swap(hidden[static_cast<std::size_t>(i)], hidden[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  Eigen::MatrixXd gain(size, size);
  for (double& value : gain.reshaped()) value = random.uniform();
  for (int row = 0; row < size; ++row) gain(row, hidden[static_cast<std::size_t>(row)]) = 2;
  EXPECT_EQ(best_matching(gain), hidden);
}

TEST(Matching, nothing_matches_nothing) {
  EXPECT_TRUE(best_matching(Eigen::MatrixXd(0, 0)).empty());
  EXPECT_TRUE(best_matching(Eigen::MatrixXd(0, 3)).empty());
  EXPECT_EQ(best_matching(Eigen::MatrixXd(2, 0)), (std::vector<int>{-1, -1}));
}

}  // namespace
}  // namespace contexton
