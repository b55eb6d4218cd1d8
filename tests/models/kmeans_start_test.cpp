// Tests of the starts of k-means, by the frequency of what they draw.
#include "models/kmeans_start.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

TEST(KMeansStart, plus_plus_draws_in_proportion_to_squared_distance) {
  Matrix rows(4, 1);
  rows << 0, 1, 3, 3;
  // By hand: the first row with 1/4 each (3 twice), then by squared distance to it.
  const std::map<std::pair<float, float>, double> probability{
      {{0.0F, 1.0F}, 1.0 / 19 / 4}, {{0.0F, 3.0F}, 18.0 / 19 / 4}, {{1.0F, 0.0F}, 1.0 / 9 / 4},
      {{1.0F, 3.0F}, 8.0 / 9 / 4},  {{3.0F, 0.0F}, 9.0 / 13 / 2},  {{3.0F, 1.0F}, 4.0 / 13 / 2}};
  std::map<std::pair<float, float>, int> seen;
  const int draws = 40000;
  for (int seed = 0; seed < draws; ++seed) {
    const Matrix words = kmeans_plus_plus(rows, 2, Random(static_cast<std::uint64_t>(seed)));
    ++seen[{words(0, 0), words(1, 0)}];
  }
  ASSERT_EQ(seen.size(), probability.size());
  for (const auto& [pair, share] : probability) {
    EXPECT_NEAR(seen[pair], draws * share, 5 * std::sqrt(draws * share)) << pair.first << ", " << pair.second;
  }
}

TEST(KMeansStart, plus_plus_reaches_every_piece_of_many_rows) {
  // 5000 rows at 0 and one far row in each of several places: the second word must be that row.
  for (const Eigen::Index far : {0, 1023, 1024, 3000, 4999}) {
    Matrix rows = Matrix::Zero(5000, 2);
    rows(far, 1) = 7;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Matrix words = kmeans_plus_plus(rows, 2, Random(seed));
      EXPECT_EQ(words.col(1).maxCoeff(), 7) << far;
    }
  }
}

TEST(KMeansStart, plus_plus_takes_every_different_row_before_any_twice) {
  const auto bytes = random_bytes(300, 2, 1, 3);  // at most 9 different rows
  const Matrix words = kmeans_plus_plus(Rows(bytes, 2), 12, Random(1));
  std::set<std::pair<float, float>> different;
  for (Eigen::Index word = 0; word < 9; ++word) different.insert({words(word, 0), words(word, 1)});
  EXPECT_EQ(different.size(), 9U);
  EXPECT_GE(words.minCoeff(), 0);
  EXPECT_LE(words.maxCoeff(), 2);
}

TEST(KMeansStart, plus_plus_is_the_same_for_any_number_of_threads_and_any_cpu_level) {
  const Matrix rows = random_matrix(5000, 9, 1);
  const auto start = [&] { return kmeans_plus_plus(rows, 20, Random(3)); };
  const Matrix expected = start();
  for (const int threads : {1, 2, 3, 8}) EXPECT_EQ(with_threads(threads, start), expected) << threads;
  for (const CpuLevel level : available_cpu_levels()) {
    const ForcedCpuLevel forced(level);
    EXPECT_EQ(start(), expected) << cpu_level_name(level);
  }
}

TEST(KMeansStart, random_words_are_different_rows) {
  Matrix rows(50, 1);
  for (int i = 0; i < 50; ++i) rows(i, 0) = static_cast<float>(i);
  const Matrix words = random_words(rows, 50, Random(1));
  EXPECT_EQ(words, rows) << "all rows, when as many are asked for";
  const Matrix few = random_words(rows, 10, Random(1));
  EXPECT_EQ(std::set<float>(few.data(), few.data() + 10).size(), 10U);
  EXPECT_NE(few, random_words(rows, 10, Random(2)));
}

}  // namespace
}  // namespace contexton
