// Tests of the nearest-word search: every CPU level against double precision.
#include "models/kernels/nearest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

struct Found {
  std::vector<std::int32_t> labels;
  std::vector<float> squared_distances;
  bool operator==(const Found&) const = default;
};

Found search(const Rows& rows, const Matrix& words) {
  Found found{std::vector<std::int32_t>(static_cast<std::size_t>(rows.count), -1),
              std::vector<float>(static_cast<std::size_t>(rows.count), -1)};
  nearest_words(rows, Words(words), found.labels, found.squared_distances);
  return found;
}

// Checks all levels against double precision, and that they agree in every bit.
void expect_exact(const Rows& rows, const Matrix& words, const std::string& what) {
  const SlowNearest expected = slow_nearest(rows, words);
  std::vector<float> first_distances;
  for (const CpuLevel level : available_cpu_levels()) {
    const ForcedCpuLevel forced(level);
    const Found found = search(rows, words);
    ASSERT_EQ(found.labels, expected.labels) << what << " at level " << cpu_level_name(level);
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      const double distance = expected.squared_distances[i];
      ASSERT_NEAR(double{found.squared_distances[i]}, distance, 1e-7 * distance) << what << " row " << i;
    }
    if (first_distances.empty()) first_distances = found.squared_distances;
    ASSERT_EQ(found.squared_distances, first_distances) << what << " at level " << cpu_level_name(level);
  }
}

TEST(Nearest, labels_equal_double_precision_for_all_shapes) {
  std::uint64_t seed = 0;
  for (const int dims : {1, 2, 7, 8, 9, 15, 16, 17, 31, 64, 128, 130}) {
    for (const int words : {1, 2, 15, 16, 17, 32, 33, 100}) {
      for (const int rows : {1, 5, 13, 61}) {
        const std::string what = std::to_string(rows) + " rows, " + std::to_string(words) + " words, " +
                                 std::to_string(dims) + " dims";
        const Matrix real_words = random_matrix(words, dims, ++seed, 100, 60);
        const auto bytes = random_bytes(rows, dims, ++seed);
        expect_exact(Rows(bytes, dims), real_words, what + ", bytes");
        const Matrix floats = random_matrix(rows, dims, ++seed, 100, 60);
        expect_exact(floats, real_words, what + ", floats");
      }
    }
  }
}

TEST(Nearest, blocks_of_many_rows_are_searched_like_single_rows) {
  const auto bytes = random_bytes(2500, 128, 1);
  const Matrix words = random_matrix(70, 128, 2, 128, 40);
  expect_exact(Rows(bytes, 128), words, "2500 rows");
  const Matrix wide = random_matrix(40, 3000, 3);
  expect_exact(wide, random_matrix(20, 3000, 4), "3000 dims");
}

TEST(Nearest, ties_go_to_the_lowest_index) {
  // Few small integers: most rows have several nearest words at exactly the same distance.
  const auto bytes = random_bytes(500, 3, 1, 4);
  const auto word_bytes = random_bytes(90, 3, 2, 4);
  Matrix words(90, 3);
  std::copy(word_bytes.begin(), word_bytes.end(), words.data());
  expect_exact(Rows(bytes, 3), words, "small integers");

  const Matrix same = Matrix::Constant(50, 16, 7.25F);
  const Found found = search(Rows(bytes, 3).slice(0, 0), same.leftCols(3));
  EXPECT_TRUE(found.labels.empty());
  const Matrix others = random_matrix(30, 16, 5);
  expect_exact(others, same, "equal words");
  expect_exact(same, same, "rows on equal words");
}

TEST(Nearest, extreme_bytes_are_exact) {
  std::vector<std::uint8_t> bytes(128 * 4, 0);
  std::fill(bytes.begin() + 128, bytes.begin() + 256, std::uint8_t{255});
  std::fill(bytes.begin() + 256 + 64, bytes.begin() + 384, std::uint8_t{255});
  bytes.back() = 255;
  Matrix words(5, 128);
  words.row(0).setConstant(127.5F);  // as far from all 0 as from all 255
  words.row(1).setConstant(0);
  words.row(2).setConstant(255);
  words.row(3).setConstant(127.5F);
  words.row(4).setConstant(254.99998F);
  expect_exact(Rows(bytes, 128), words, "0 and 255");
}

// Words almost equally far from the row: float arithmetic alone would often pick the wrong one.
TEST(Nearest, near_ties_are_settled_as_in_double) {
  Random random(3);
  int float_would_be_wrong = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int dims = 1 + static_cast<int>(random.below(150));
    const Matrix row = random_matrix(1, dims, 1000 + static_cast<std::uint64_t>(trial), 50, 30);
    // Each word is the row plus the same step in another order and with another sign, off by some last bits.
    Matrix words(40, dims);
    for (Eigen::Index word = 0; word < words.rows(); ++word) {
      for (int d = 0; d < dims; ++d) {
        const auto step = static_cast<float>(10 + (d + 7 * word) % dims);
        const float sign = random.below(2) == 0 ? 1.0F : -1.0F;
        words(word, d) = row(0, d) + sign * step;
      }
    }
    expect_exact(row, words, "trial " + std::to_string(trial));
    Eigen::Index by_float = 0;
    (words.rowwise().squaredNorm() - 2 * words * row.transpose()).col(0).minCoeff(&by_float);
    float_would_be_wrong += slow_nearest(row, words).labels[0] != by_float;
  }
  EXPECT_GT(float_would_be_wrong, 100) << "the data no longer tests what it should";
}

TEST(Nearest, a_large_common_offset_does_not_change_exactness) {
  for (const double offset : {1e3, 1e5, -1e6}) {
    const Matrix rows = random_matrix(300, 24, 1, offset);
    expect_exact(rows, random_matrix(50, 24, 2, offset), "offset " + std::to_string(offset));
  }
}

TEST(Nearest, very_large_and_very_small_numbers_are_exact) {
  for (const double scale : {1e-40, 1e-30, 1e-23, 3e-23, 1e-22, 1e-21, 1e-20, 1e15, 1e19, 1e30, 1e37}) {
    const Matrix rows = random_matrix(40, 12, 1, 0, scale);
    const Matrix words = random_matrix(37, 12, 2, 0, scale);
    const std::vector<std::int32_t> expected = slow_nearest(rows, words).labels;
    for (const CpuLevel level : available_cpu_levels()) {
      const ForcedCpuLevel forced(level);
      EXPECT_EQ(search(rows, words).labels, expected) << scale << " at level " << cpu_level_name(level);
    }
  }
  const Matrix far_rows = random_matrix(40, 12, 1, 0, 1e4);
  expect_exact(far_rows, random_matrix(37, 12, 2, 0, 1e-3), "rows far from all words");
  const Matrix farther_rows = random_matrix(40, 12, 1, 0, 1e12);
  expect_exact(farther_rows, random_matrix(37, 12, 2, 0, 1e-8), "rows so far that double cannot tell");
}

TEST(Nearest, differences_beyond_the_range_of_float_are_exact) {
  Matrix words = Matrix::Constant(20, 6, 3e38F);
  words(13, 2) = 2.5e38F;  // nearest to all rows
  words(17, 2) = 2.6e38F;
  const Matrix rows = Matrix::Constant(10, 6, -3e38F);
  for (const CpuLevel level : available_cpu_levels()) {
    const ForcedCpuLevel forced(level);
    EXPECT_EQ(search(rows, words).labels, std::vector<std::int32_t>(10, 13)) << cpu_level_name(level);
  }
}

TEST(Nearest, squared_distances_do_not_suffer_from_cancellation) {
  Matrix words = random_matrix(20, 64, 1, 10000, 1);
  Matrix rows = words;
  rows.array() += 0.0078125F;  // a step that floats near 10000 can take almost exactly
  const Found found = search(rows, words);
  const SlowNearest expected = slow_nearest(rows, words);
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    EXPECT_NEAR(double{found.squared_distances[i]}, expected.squared_distances[i],
                1e-7 * expected.squared_distances[i]);
  }
  for (const float distance : search(words, words).squared_distances) EXPECT_EQ(distance, 0);
}

TEST(Nearest, results_do_not_depend_on_threads_or_on_how_rows_are_cut) {
  const Matrix rows = random_matrix(5000, 20, 1);
  const Matrix words = random_matrix(40, 20, 2);
  const Found whole = search(rows, words);
  for (const int threads : {1, 2, 3, 8}) {
    EXPECT_EQ(with_threads(threads, [&] { return search(rows, words); }), whole) << threads << " threads";
  }
  Found parts{std::vector<std::int32_t>(5000), std::vector<float>(5000)};
  Random random(4);
  const Words packed(words);
  for (std::int64_t first = 0; first < 5000;) {
    const std::int64_t last =
        std::min<std::int64_t>(5000, first + 1 + static_cast<std::int64_t>(random.below(700)));
    const auto offset = static_cast<std::size_t>(first);
    const auto size = static_cast<std::size_t>(last - first);
    nearest_words_on_this_thread(Rows(rows).slice(first, last), packed,
                                 std::span(parts.labels).subspan(offset, size),
                                 std::span(parts.squared_distances).subspan(offset, size));
    first = last;
  }
  EXPECT_EQ(parts, whole);
}

TEST(Nearest, rows_with_nan_get_label_0_and_leave_others_alone) {
  Matrix rows = random_matrix(30, 16, 1);
  const Matrix words = random_matrix(20, 16, 2);
  const Found clean = search(rows, words);
  rows(3, 5) = std::numeric_limits<float>::quiet_NaN();
  for (const CpuLevel level : available_cpu_levels()) {
    const ForcedCpuLevel forced(level);
    const Found found = search(rows, words);
    EXPECT_EQ(found.labels[3], 0);
    EXPECT_TRUE(std::isnan(found.squared_distances[3]));
    for (std::size_t i = 0; i < 30; ++i) {
      if (i == 3) continue;
      EXPECT_EQ(found.labels[i], clean.labels[i]) << i;
    }
  }
}

TEST(Nearest, the_returned_sum_is_that_of_the_distances) {
  const Matrix rows = random_matrix(700, 20, 1);
  const Matrix words = random_matrix(10, 20, 2);
  std::vector<std::int32_t> labels(700);
  std::vector<float> distances(700);
  double expected = 0;
  for (const double distance : slow_nearest(rows, words).squared_distances) expected += distance;
  EXPECT_NEAR(nearest_words_on_this_thread(rows, Words(words), labels, distances), expected,
              1e-12 * expected);
}

TEST(Nearest, distances_to_one_vector_are_those_in_double) {
  const auto bytes = random_bytes(50, 37, 1);
  const Matrix floats = random_matrix(50, 37, 2);
  const Matrix vector = random_matrix(1, 37, 3, 100, 50);
  for (const Rows& rows : {Rows(bytes, 37), Rows(floats)}) {
    std::vector<double> reference;
    for (const CpuLevel level : available_cpu_levels()) {
      const ForcedCpuLevel forced(level);
      std::vector<double> distances(50);
      squared_distances_to(rows, {vector.data(), 37}, distances);
      for (std::int64_t i = 0; i < 50; ++i) {
        const double expected = slow_squared_distance(rows, i, vector, 0);
        EXPECT_NEAR(distances[static_cast<std::size_t>(i)], expected, 1e-14 * expected);
      }
      if (reference.empty()) reference = distances;
      EXPECT_EQ(distances, reference) << "the same bits at level " << cpu_level_name(level);
    }
  }
}

TEST(Nearest, refuses_what_does_not_fit) {
  const Matrix rows = random_matrix(3, 4, 1);
  std::vector<std::int32_t> labels(3);
  std::vector<float> distances(3);
  std::string message =
      refusal([&] { nearest_words(rows, Words(random_matrix(2, 5, 2)), labels, distances); });
  EXPECT_NE(message.find("rows have 4 dimensions, words have 5"), std::string::npos) << message;
  labels.resize(2);
  message = refusal([&] { nearest_words(rows, Words(random_matrix(2, 4, 2)), labels, distances); });
  EXPECT_NE(message.find("3 rows"), std::string::npos) << message;

  EXPECT_NE(refusal([] { return Words(Matrix(0, 4)); }), "");
  EXPECT_NE(refusal([] { return Words(Matrix(4, 0)); }), "");
  Matrix bad = random_matrix(3, 4, 1);
  bad(2, 1) = std::numeric_limits<float>::infinity();
  message = refusal([&] { return Words(bad); });
  EXPECT_NE(message.find("word 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace contexton
