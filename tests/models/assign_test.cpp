// Tests of labelling rows with words.
#include "models/assign.hpp"

#include <gtest/gtest.h>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

TEST(Assign, labels_are_the_nearest_words) {
  const auto bytes = random_bytes(3000, 12, 1);
  const Matrix words = random_matrix(30, 12, 2, 128, 60);
  const Assignment found = assign(Rows(bytes, 12), words);
  const SlowNearest expected = slow_nearest(Rows(bytes, 12), words);
  EXPECT_EQ(found.labels, expected.labels);
  double sum = 0;
  for (const double distance : expected.squared_distances) sum += distance;
  EXPECT_NEAR(found.objective, sum, 1e-12 * sum);
}

TEST(Assign, no_rows_give_no_labels) {
  const Matrix none(0, 4);
  const Assignment found = assign(none, random_matrix(3, 4, 1));
  EXPECT_TRUE(found.labels.empty());
  EXPECT_EQ(found.objective, 0);
}

TEST(Assign, reports_how_many_labels_changed) {
  const Matrix rows = random_matrix(4000, 6, 1);
  const Matrix words = random_matrix(9, 6, 2);
  Assignment found = assign(rows, words);
  EXPECT_EQ(reassign(rows, Words(words), found.labels, found.squared_distances).moved, 0);
  const auto correct = found.labels;
  for (const std::size_t row : {0U, 1023U, 1024U, 3999U}) found.labels[row] = (found.labels[row] + 1) % 9;
  EXPECT_EQ(reassign(rows, Words(words), found.labels, found.squared_distances).moved, 4);
  EXPECT_EQ(found.labels, correct);
}

TEST(Assign, calls_back_between_blocks_and_stops_when_that_throws) {
  // 3 blocks of 2^31 multiplications would take long; wide words make a block of one piece of rows.
  const auto bytes = random_bytes(2100, 128, 1);
  const Matrix words = random_matrix(16500, 128, 2, 128, 60);
  std::vector<std::int32_t> labels(2100, -1);
  std::vector<float> distances(2100);
  std::vector<double> fractions;
  const Words packed(words);
  EXPECT_THROW(reassign(Rows(bytes, 128), packed, labels, distances,
                        [&](double fraction) {
                          fractions.push_back(fraction);
                          throw std::runtime_error("stop");
                        }),
               std::runtime_error);
  ASSERT_EQ(fractions.size(), 1U);
  EXPECT_NEAR(fractions[0], 1.0 / 3, 1e-9);
  EXPECT_NE(labels.front(), -1);
  EXPECT_EQ(labels.back(), -1);
}

TEST(Assign, names_the_first_row_that_is_not_finite) {
  Matrix rows = random_matrix(5000, 4, 1);
  rows(4321, 2) = std::numeric_limits<float>::infinity();
  rows(1234, 3) = std::numeric_limits<float>::quiet_NaN();
  const Matrix words = random_matrix(2, 4, 2);
  const std::string message = refusal([&] { (void)assign(rows, words); });
  EXPECT_EQ(message, "row 1234 holds NaN or infinity");
  rows(1234, 3) = 2e15F;
  EXPECT_EQ(refusal([&] { check_finite(rows); }), "row 1234 holds a number beyond +-1e15");
  rows(1234, 3) = -1e15F;
  EXPECT_EQ(refusal([&] { check_finite(rows); }), "row 4321 holds NaN or infinity");
}

}  // namespace
}  // namespace contexton
