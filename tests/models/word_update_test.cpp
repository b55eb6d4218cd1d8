// Tests of the update step: means of rows, and repair of empty words.
#include "models/word_update.hpp"

#include <gtest/gtest.h>

#include "models/assign.hpp"
#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

std::vector<std::int32_t> random_labels(std::int64_t count, int words, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
  for (auto& label : labels)
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(words)));
  return labels;
}

TEST(WordUpdate, words_become_the_means_of_their_rows) {
  const auto bytes = random_bytes(20000, 5, 1);
  const Matrix floats = random_matrix(20000, 5, 2, 3);
  auto labels = random_labels(20000, 3, 3);
  std::ranges::replace(labels, 1, 3);  // word 1 is empty
  const auto counts = count_labels(labels, 4);
  for (const Rows& rows : {Rows(bytes, 5), Rows(floats)}) {
    Matrix words = Matrix::Constant(4, 5, -9);
    move_words_to_means(rows, labels, counts, words);
    for (int word : {0, 2, 3}) {
      for (int d = 0; d < 5; ++d) {
        double sum = 0;
        for (std::int64_t row = 0; row < rows.count; ++row) {
          if (labels[static_cast<std::size_t>(row)] == word) sum += value_at(rows, row, d);
        }
        const double mean = sum / static_cast<double>(counts[static_cast<std::size_t>(word)]);
        EXPECT_FLOAT_EQ(words(word, d), static_cast<float>(mean));
      }
    }
    EXPECT_TRUE((words.row(1).array() == -9).all()) << "an empty word stays where it is";
  }
}

TEST(WordUpdate, an_empty_word_takes_the_farthest_row_of_the_worst_word) {
  // Word 0: distances 1 + 1; word 1: 0.5 + 5 + 2 (the worst); words 2 and 4 are empty.
  std::vector<std::int32_t> labels{0, 1, 0, 1, 1, 3};
  std::vector<float> distances{1, 0.5F, 1, 5, 2, 4};
  std::vector<std::int64_t> counts = count_labels(labels, 5);
  EXPECT_EQ(repair_empty_words(labels, distances, counts), 2);
  // Word 2 takes row 3; then words 0 (2) and 1 (2.5) compete, and word 4 takes row 4. Word 3 has one row
  // only.
  EXPECT_EQ(labels, (std::vector<std::int32_t>{0, 1, 0, 2, 4, 3}));
  EXPECT_EQ(distances, (std::vector<float>{1, 0.5F, 1, 0, 0, 4}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 1, 1, 1, 1}));
}

TEST(WordUpdate, words_without_distance_are_not_split) {
  std::vector<std::int32_t> labels{0, 0, 2};
  std::vector<float> distances{0, 0, 3};
  std::vector<std::int64_t> counts = count_labels(labels, 3);
  EXPECT_EQ(repair_empty_words(labels, distances, counts), 0);
  EXPECT_EQ(labels, (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 0, 1}));
}

TEST(WordUpdate, repair_lowers_the_objective_by_at_least_the_distances_taken) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Matrix rows = random_matrix(60, 3, seed);
    Matrix words = random_matrix(12, 3, seed + 100);
    for (const int far : {1, 4, 5, 11}) words.row(far).array() += 1000;  // nobody's nearest word
    Assignment before = assign(rows, words);
    auto counts = count_labels(before.labels, 12);
    const auto old_distances = before.squared_distances;
    ASSERT_GE(repair_empty_words(before.labels, before.squared_distances, counts), 4);
    EXPECT_EQ(counts, count_labels(before.labels, 12));
    double taken = 0;
    for (std::size_t i = 0; i < old_distances.size(); ++i) {
      taken += double{old_distances[i]} - double{before.squared_distances[i]};
    }
    move_words_to_means(rows, before.labels, counts, words);
    EXPECT_LE(assign(rows, words).objective, (before.objective - taken) * (1 + 1e-6)) << "seed " << seed;
  }
}

TEST(WordUpdate, sums_are_the_same_bits_for_any_number_of_threads) {
  const Matrix rows = random_matrix(30000, 7, 1, 0.1);
  const auto labels = random_labels(30000, 3, 2);
  const auto counts = count_labels(labels, 3);
  const auto means = [&] {
    Matrix words(3, 7);
    move_words_to_means(rows, labels, counts, words);
    return words;
  };
  const Matrix expected = with_threads(1, means);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(with_threads(threads, means), expected) << threads;
}

}  // namespace
}  // namespace contexton
