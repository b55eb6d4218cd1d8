// Tests of k-means by its properties and against enumeration of all clusterings of a few rows.
#include "models/kmeans.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

KMeansOptions options_for(int words, std::uint64_t seed = 1) {
  KMeansOptions options;
  options.words = words;
  options.seed = seed;
  return options;
}

// What must hold for every result, whatever the data.
void expect_consistent(const Rows& rows, const KMeansResult& result) {
  const SlowNearest nearest = slow_nearest(rows, result.words);
  EXPECT_EQ(result.labels, nearest.labels) << "labels belong to the words returned";
  double objective = 0;
  for (std::size_t i = 0; i < nearest.labels.size(); ++i) {
    objective += nearest.squared_distances[i];
    EXPECT_NEAR(double{result.squared_distances[i]}, nearest.squared_distances[i],
                1e-7 * nearest.squared_distances[i]);
  }
  EXPECT_NEAR(result.objective, objective, 1e-12 * objective);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(result.words.rows()));
  for (const std::int32_t label : result.labels) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(result.counts, counts);
}

void expect_never_increasing(const KMeansResult& result) {
  for (std::size_t i = 1; i < result.iterations.size(); ++i) {
    const double before = result.iterations[i - 1].objective;
    EXPECT_LE(result.iterations[i].objective, before * (1 + 1e-12)) << "iteration " << i;
    EXPECT_EQ(result.iterations[i].iteration, static_cast<int>(i));
  }
}

TEST(KMeans, objective_never_increases_and_labels_are_the_nearest_words) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto bytes = random_bytes(700, 10, seed);
    const Matrix floats = random_matrix(700, 10, seed, 5);
    for (const Rows& rows : {Rows(bytes, 10), Rows(floats)}) {
      for (const KMeansStart start : {KMeansStart::plus_plus, KMeansStart::random}) {
        KMeansOptions options = options_for(25, seed);
        options.start = start;
        options.tolerance = 0;
        const KMeansResult result = kmeans(rows, options);
        expect_consistent(rows, result);
        expect_never_increasing(result);
        EXPECT_LT(result.objective, result.iterations.front().objective);
        EXPECT_EQ(result.objective, result.iterations.back().objective);
      }
    }
  }
}

TEST(KMeans, a_fixed_point_has_words_at_the_means_of_their_rows) {
  const Matrix rows = random_matrix(400, 3, 1);
  KMeansOptions options = options_for(8);
  options.tolerance = 0;
  options.iterations = 1000;
  const KMeansResult result = kmeans(rows, options);
  EXPECT_EQ(result.stop, KMeansStop::no_label_moved);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations.back().moved_fraction, 0);
  for (int word = 0; word < 8; ++word) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(3);
    for (Eigen::Index i = 0; i < 400; ++i) {
      if (result.labels[static_cast<std::size_t>(i)] == word) sum += rows.row(i).cast<double>();
    }
    const auto count = static_cast<double>(result.counts[static_cast<std::size_t>(word)]);
    EXPECT_TRUE(result.words.row(word).isApprox((sum / count).cast<float>(), 1e-6F));
  }
}

TEST(KMeans, finds_blobs_that_lie_far_apart) {
  const Matrix rows = blobs(600, 8, 6, 1);
  KMeansOptions options = options_for(6);
  options.restarts = 5;
  const KMeansResult result = kmeans(rows, options);
  std::set<std::pair<std::int32_t, int>> label_and_blob;
  for (int i = 0; i < 600; ++i) label_and_blob.insert({result.labels[static_cast<std::size_t>(i)], i % 6});
  EXPECT_EQ(label_and_blob.size(), 6U) << "one label for each blob";
}

// The lowest objective of two words, over all ways to cut the rows in two.
double best_two_means(const Matrix& rows) {
  const auto count = static_cast<unsigned>(rows.rows());
  double best = std::numeric_limits<double>::infinity();
  for (unsigned subset = 0; subset < 1U << (count - 1); ++subset) {
    double objective = 0;
    for (const unsigned side : {0U, 1U}) {
      std::vector<Eigen::Index> members;
      for (unsigned i = 0; i < count; ++i) {
        if ((subset >> i & 1U) == side) members.push_back(static_cast<Eigen::Index>(i));
      }
      if (members.empty()) continue;
      const Eigen::MatrixXd part = rows(members, Eigen::all).cast<double>();
      objective += (part.rowwise() - part.colwise().mean()).squaredNorm();
    }
    best = std::min(best, objective);
  }
  return best;
}

TEST(KMeans, restarts_reach_the_optimum_of_tiny_problems) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix rows = random_matrix(11, 2, seed);
    KMeansOptions options = options_for(2, seed);
    options.restarts = 30;
    options.tolerance = 0;
    const KMeansResult result = kmeans(rows, options);
    const double best = best_two_means(rows);
    EXPECT_GE(result.objective, best * (1 - 1e-6));
    EXPECT_LE(result.objective, best * (1 + 1e-6)) << "seed " << seed;
  }
}

TEST(KMeans, restarts_keep_the_lowest_objective) {
  const Matrix rows = random_matrix(300, 2, 5);
  KMeansOptions options = options_for(12);
  options.restarts = 10;
  std::vector<IterationRecord> told;
  options.on_iteration = [&](const IterationRecord& record) { told.push_back(record); };
  const KMeansResult result = kmeans(rows, options);
  ASSERT_EQ(result.restart_objectives.size(), 10U);
  const auto best = std::ranges::min_element(result.restart_objectives);
  EXPECT_EQ(result.best_restart, best - result.restart_objectives.begin());
  EXPECT_EQ(result.objective, *best);
  EXPECT_GT(*std::ranges::max_element(result.restart_objectives), *best) << "restarts must differ";
  EXPECT_EQ(result.iterations.back().restart, result.best_restart);
  EXPECT_EQ(told.back().restart, 9);
  expect_consistent(rows, result);
}

TEST(KMeans, as_many_words_as_rows_leave_no_distance) {
  const Matrix rows = random_matrix(40, 3, 1);
  const auto bytes = random_bytes(40, 6, 1);
  for (const Rows& all : {Rows(rows), Rows(bytes, 6)}) {
    for (const KMeansStart start : {KMeansStart::plus_plus, KMeansStart::random}) {
      KMeansOptions options = options_for(40);
      options.start = start;
      const KMeansResult result = kmeans(all, options);
      EXPECT_EQ(result.objective, 0);
      EXPECT_EQ(std::ranges::count(result.counts, 1), 40);
      EXPECT_TRUE(result.converged);
    }
  }
}

TEST(KMeans, one_word_is_the_mean) {
  const auto bytes = random_bytes(1000, 4, 1);
  const KMeansResult result = kmeans(Rows(bytes, 4), options_for(1));
  for (int d = 0; d < 4; ++d) {
    double sum = 0;
    for (std::int64_t i = 0; i < 1000; ++i) sum += value_at(Rows(bytes, 4), i, d);
    EXPECT_FLOAT_EQ(result.words(0, d), static_cast<float>(sum / 1000));
  }
}

TEST(KMeans, equal_rows_leave_the_other_words_empty_and_say_so) {
  const Matrix rows = Matrix::Constant(50, 4, 0.3F);
  const KMeansResult result = kmeans(rows, options_for(5));
  EXPECT_EQ(result.objective, 0);
  EXPECT_EQ(result.counts, (std::vector<std::int64_t>{50, 0, 0, 0, 0}));
  EXPECT_EQ(result.iterations.back().empty_words, 4);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.words, Matrix::Constant(5, 4, 0.3F));
}

TEST(KMeans, fewer_different_rows_than_words_are_all_found) {
  const auto bytes = random_bytes(400, 2, 1, 3);  // 9 different rows
  for (const KMeansStart start : {KMeansStart::plus_plus, KMeansStart::random}) {
    KMeansOptions options = options_for(15);
    options.start = start;
    const KMeansResult result = kmeans(Rows(bytes, 2), options);
    EXPECT_EQ(result.objective, 0);
    EXPECT_EQ(std::ranges::count(result.counts, 0), 6);
    expect_consistent(Rows(bytes, 2), result);
  }
}

TEST(KMeans, words_that_lose_all_rows_are_repaired) {
  const Matrix rows = blobs(500, 4, 5, 2);
  KMeansOptions options = options_for(10);
  options.start = KMeansStart::given;
  options.start_words = random_matrix(10, 4, 3, 1000);  // most of them nobody's nearest word
  options.start_words.row(7) = options.start_words.row(2);
  const KMeansResult result = kmeans(rows, options);
  EXPECT_GT(result.iterations.front().empty_words, 3);
  EXPECT_EQ(result.iterations[1].repaired_words, result.iterations.front().empty_words);
  EXPECT_EQ(std::ranges::count(result.counts, 0), 0);
  expect_never_increasing(result);
  expect_consistent(rows, result);
}

TEST(KMeans, does_not_stop_while_an_empty_word_can_be_repaired) {
  // All three words start at 0. The repair gives the other two rows at 10, where only one is needed, so that
  // one is empty again although the objective fell by less than the tolerance.
  Matrix rows(12, 1);
  rows << 0, 0, 0, 0, 0, 0, 0, 5, 5, 10, 10, 10;
  KMeansOptions options = options_for(3);
  options.start = KMeansStart::given;
  options.start_words = Matrix::Zero(3, 1);
  options.tolerance = 1;
  const KMeansResult result = kmeans(rows, options);
  EXPECT_EQ(result.iterations[1].empty_words, 1);
  EXPECT_EQ(result.iterations.back().empty_words, 0);
  EXPECT_LE(result.objective, 25);
}

TEST(KMeans, permuting_the_rows_permutes_the_labels) {
  const auto bytes = random_bytes(500, 6, 1);
  std::vector<std::size_t> order(500);
  std::iota(order.begin(), order.end(), 0);
  Random random(2);
  for (std::size_t i = 499; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  std::vector<std::uint8_t> permuted(bytes.size());
  for (std::size_t i = 0; i < 500; ++i) std::memcpy(&permuted[i * 6], &bytes[order[i] * 6], 6);

  KMeansOptions options = options_for(10);
  options.start = KMeansStart::given;
  options.start_words = random_matrix(10, 6, 3, 128, 50);
  const KMeansResult plain = kmeans(Rows(bytes, 6), options);
  const KMeansResult other = kmeans(Rows(permuted, 6), options);
  EXPECT_EQ(plain.words, other.words) << "sums of bytes do not depend on their order";
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(other.labels[i], plain.labels[order[i]]);
}

TEST(KMeans, translating_the_rows_translates_the_words) {
  const auto bytes = random_bytes(400, 5, 1, 100);
  std::vector<std::uint8_t> shifted = bytes;
  for (auto& value : shifted) value = static_cast<std::uint8_t>(value + 100);
  const KMeansResult plain = kmeans(Rows(bytes, 5), options_for(9));
  const KMeansResult moved = kmeans(Rows(shifted, 5), options_for(9));
  EXPECT_EQ(plain.labels, moved.labels);
  EXPECT_TRUE(moved.words.isApprox((plain.words.array() + 100).matrix(), 1e-6F));
}

TEST(KMeans, bytes_and_the_same_numbers_as_floats_give_the_same_words) {
  const auto bytes = random_bytes(3000, 16, 1);
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const KMeansResult of_bytes = kmeans(Rows(bytes, 16), options_for(20));
  const KMeansResult of_floats = kmeans(Rows(floats, 16), options_for(20));
  EXPECT_EQ(of_bytes.words, of_floats.words);
  EXPECT_EQ(of_bytes.labels, of_floats.labels);
}

void expect_same_bytes(const KMeansResult& a, const KMeansResult& b, const std::string& what) {
  EXPECT_EQ(a.words, b.words) << what;
  EXPECT_EQ(a.labels, b.labels) << what;
  EXPECT_EQ(a.squared_distances, b.squared_distances) << what;
  EXPECT_EQ(a.objective, b.objective) << what;
  ASSERT_EQ(a.iterations.size(), b.iterations.size()) << what;
  for (std::size_t i = 0; i < a.iterations.size(); ++i) {
    EXPECT_EQ(a.iterations[i].objective, b.iterations[i].objective) << what;
  }
}

TEST(KMeans, the_same_bytes_for_any_number_of_threads_and_any_cpu_level) {
  const auto bytes = random_bytes(9000, 24, 1);
  const Matrix floats = random_matrix(9000, 24, 2, 0.1);
  for (const Rows& rows : {Rows(bytes, 24), Rows(floats)}) {
    KMeansOptions options = options_for(30);
    options.iterations = 6;
    options.seeding_rows_per_word = 100;
    const KMeansResult expected = with_threads(1, [&] { return kmeans(rows, options); });
    for (const int threads : {2, 3, 8}) {
      expect_same_bytes(with_threads(threads, [&] { return kmeans(rows, options); }), expected,
                        std::to_string(threads) + " threads");
    }
    for (const CpuLevel level : available_cpu_levels()) {
      const ForcedCpuLevel forced(level);
      expect_same_bytes(kmeans(rows, options), expected, std::string(cpu_level_name(level)));
    }
  }
}

TEST(KMeans, the_seed_decides_and_nothing_else) {
  const Matrix rows = random_matrix(500, 4, 1);
  expect_same_bytes(kmeans(rows, options_for(10, 0)), kmeans(rows, options_for(10, 0)), "seed 0 twice");
  EXPECT_NE(kmeans(rows, options_for(10, 0)).words, kmeans(rows, options_for(10, 1)).words);
}

TEST(KMeans, the_iteration_limit_is_kept_and_reported) {
  const Matrix rows = random_matrix(2000, 6, 1);
  KMeansOptions options = options_for(20);
  options.tolerance = 0;
  options.iterations = 3;
  KMeansResult result = kmeans(rows, options);
  EXPECT_EQ(result.iterations.size(), 4U) << "the start and three iterations";
  EXPECT_EQ(result.stop, KMeansStop::iteration_limit);
  EXPECT_FALSE(result.converged);

  options.iterations = 0;
  options.start = KMeansStart::given;
  options.start_words = random_matrix(20, 6, 2);
  result = kmeans(rows, options);
  EXPECT_EQ(result.words, options.start_words);
  expect_consistent(rows, result);
}

TEST(KMeans, stops_when_the_objective_falls_by_no_more_than_the_tolerance) {
  const Matrix rows = random_matrix(2000, 6, 1);
  KMeansOptions options = options_for(20);
  options.tolerance = 0.01;
  const KMeansResult result = kmeans(rows, options);
  EXPECT_EQ(result.stop, KMeansStop::small_fall);
  const auto& records = result.iterations;
  ASSERT_GE(records.size(), 3U);
  for (std::size_t i = 1; i < records.size(); ++i) {
    const double fall = (records[i - 1].objective - records[i].objective) / records[i - 1].objective;
    EXPECT_EQ(fall <= 0.01, i + 1 == records.size()) << "iteration " << i;
  }
}

TEST(KMeans, a_sample_is_learnt_from_but_all_rows_are_labelled) {
  const Matrix rows = blobs(3000, 5, 4, 1);
  KMeansOptions options = options_for(4);
  options.sample = 200;
  options.restarts = 3;
  const KMeansResult result = kmeans(rows, options);
  EXPECT_EQ(result.rows_learnt, 200);
  EXPECT_EQ(result.labels.size(), 3000U);
  expect_consistent(rows, result);
  EXPECT_EQ(std::accumulate(result.counts.begin(), result.counts.end(), std::int64_t{0}), 3000);
  EXPECT_LT(result.iterations.back().objective, result.objective / 5) << "the record is that of the sample";

  options.sample = 5000;  // more than there are
  EXPECT_EQ(kmeans(rows, options).rows_learnt, 3000);
}

TEST(KMeans, the_rows_that_seeding_looked_at_are_reported) {
  const Matrix rows = random_matrix(1000, 2, 1);
  KMeansOptions options = options_for(5);
  EXPECT_EQ(kmeans(rows, options).rows_seeding, 5 * 64);
  options.seeding_rows_per_word = 0;
  EXPECT_EQ(kmeans(rows, options).rows_seeding, 1000);
  options.start = KMeansStart::random;
  EXPECT_EQ(kmeans(rows, options).rows_seeding, 1000);
  options.start = KMeansStart::given;
  options.start_words = random_matrix(5, 2, 2);
  EXPECT_EQ(kmeans(rows, options).rows_seeding, 0);
}

TEST(KMeans, plus_plus_starts_better_than_random) {
  const Matrix rows = blobs(2000, 6, 30, 1);
  double plus_plus = 0;
  double random = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    KMeansOptions options = options_for(30, seed);
    options.iterations = 0;
    plus_plus += kmeans(rows, options).objective;
    options.start = KMeansStart::random;
    random += kmeans(rows, options).objective;
  }
  EXPECT_LT(plus_plus, random / 2);
}

TEST(KMeans, callbacks_see_every_iteration_and_can_stop_the_fit) {
  struct Stop {};
  const Matrix rows = random_matrix(500, 4, 1);
  KMeansOptions options = options_for(10);
  std::vector<double> objectives;
  std::vector<FitProgress> progress;
  options.on_iteration = [&](const IterationRecord& record) { objectives.push_back(record.objective); };
  options.on_progress = [&](const FitProgress& step) { progress.push_back(step); };
  const KMeansResult result = kmeans(rows, options);
  ASSERT_EQ(objectives.size(), result.iterations.size());
  EXPECT_EQ(objectives.back(), result.objective);
  EXPECT_GE(progress.size(), 10 + objectives.size()) << "each word of the start, each iteration";
  for (std::size_t i = 1; i < progress.size(); ++i) {
    const double before = progress[i - 1].iteration + progress[i - 1].fraction;
    EXPECT_GE(progress[i].iteration + progress[i].fraction, before);
  }
  EXPECT_EQ(progress.back().fraction, 1);

  options.on_iteration = [](const IterationRecord& record) {
    if (record.iteration == 2) throw Stop{};
  };
  EXPECT_THROW((void)kmeans(rows, options), Stop);
  options.on_iteration = {};
  options.on_progress = [](const FitProgress&) { throw Stop{}; };
  EXPECT_THROW((void)kmeans(rows, options), Stop);
}

TEST(KMeans, refuses_bad_input_with_a_message_that_names_it) {
  const Matrix rows = random_matrix(10, 3, 1);
  const auto message = [&](const Rows& data, const KMeansOptions& options) {
    return refusal([&] { (void)kmeans(data, options); });
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' should contain '" << part << "'";
  };
  const std::string too_many = message(rows, options_for(11));
  contains(too_many, "11 words");
  contains(too_many, "10 rows");
  const Matrix no_rows(0, 3);
  const Matrix no_dims(10, 0);
  contains(message(no_rows, options_for(2)), "no rows");
  contains(message(no_dims, options_for(2)), "no dimensions");
  contains(message(rows, options_for(0)), "words must be at least 1");

  Matrix bad = rows;
  bad(7, 1) = std::numeric_limits<float>::quiet_NaN();
  contains(message(bad, options_for(2)), "row 7");

  KMeansOptions options = options_for(2);
  options.iterations = -1;
  contains(message(rows, options), "iterations");
  options = options_for(2);
  options.tolerance = std::nan("");
  contains(message(rows, options), "tolerance");
  options = options_for(2);
  options.restarts = 0;
  contains(message(rows, options), "restarts");
  options = options_for(5);
  options.sample = 4;
  contains(message(rows, options), "sample of 4");
  options = options_for(2);
  options.start = KMeansStart::given;
  options.start_words = random_matrix(2, 4, 1);
  contains(message(rows, options), "2 x 4");
  options.start_words = bad.middleRows(6, 2);
  contains(message(rows, options), "start words: row 1");
  options.start_words = rows.topRows(2);
  options.restarts = 2;
  contains(message(rows, options), "restarts");
  options.restarts = 1;
  options.start = KMeansStart::random;
  contains(message(rows, options), "start is not 'given'");
}

}  // namespace
}  // namespace contexton
