// Tests of the clustering scores: hand-made numbers, counting of all pairs, and degenerate labels.
#include "models/clustering_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/models/rows_for_tests.hpp"

namespace contexton {
namespace {

using Labels = std::vector<std::int32_t>;

Labels random_labels(std::size_t count, int different, std::uint64_t seed) {
  Random random(seed);
  Labels labels(count);
  for (auto& label : labels)
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(different)));
  return labels;
}

TEST(ClusteringScores, hand_made_example) {
  //             cluster 5: a a b     cluster 7: b b c      cluster 9: c
  const Labels truth{0, 0, 1, /**/ 1, 1, 2, /**/ 2};
  const Labels found{5, 5, 5, /**/ 7, 7, 7, /**/ 9};
  const ClusteringScores scores = score_clustering(truth, found);
  EXPECT_EQ(scores.scored, 7);
  EXPECT_EQ(scores.classes, 3);
  EXPECT_EQ(scores.clusters, 3);
  EXPECT_DOUBLE_EQ(scores.accuracy, 5.0 / 7);
  EXPECT_DOUBLE_EQ(scores.purity, 5.0 / 7);
  // Pairs: 6 within clusters, 5 within classes, 2 within both, of 21.
  EXPECT_DOUBLE_EQ(scores.pair_precision, 2.0 / 6);
  EXPECT_DOUBLE_EQ(scores.pair_recall, 2.0 / 5);
  EXPECT_DOUBLE_EQ(scores.pair_f, 4.0 / 11);
  EXPECT_DOUBLE_EQ(scores.adjusted_rand, (2 - 30.0 / 21) / (5.5 - 30.0 / 21));
  const double class_entropy = -(4.0 / 7 * std::log(2.0 / 7) + 3.0 / 7 * std::log(3.0 / 7));
  const double cluster_entropy = -(6.0 / 7 * std::log(3.0 / 7) + 1.0 / 7 * std::log(1.0 / 7));
  const double joint_entropy = -(4.0 / 7 * std::log(2.0 / 7) + 3.0 / 7 * std::log(1.0 / 7));
  const double shared = class_entropy + cluster_entropy - joint_entropy;
  EXPECT_NEAR(scores.homogeneity, shared / class_entropy, 1e-12);
  EXPECT_NEAR(scores.completeness, shared / cluster_entropy, 1e-12);
  EXPECT_NEAR(scores.nmi, 2 * shared / (class_entropy + cluster_entropy), 1e-12);
  EXPECT_NEAR(scores.v_measure, scores.nmi, 1e-12);
  EXPECT_EQ(scores.matching, (std::vector<std::pair<std::int32_t, std::int32_t>>{{5, 0}, {7, 1}, {9, 2}}));
}

// Values printed in the reference pages of scikit-learn's functions of the same name.
TEST(ClusteringScores, examples_of_scikit_learn) {
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 2}, Labels{0, 0, 1, 1}).adjusted_rand, 0.57, 0.005);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 1}, Labels{0, 0, 1, 2}).adjusted_rand, 0.57, 0.005);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 0, 0}, Labels{0, 1, 2, 3}).adjusted_rand, 0.0, 1e-12);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 1}, Labels{0, 1, 0, 1}).adjusted_rand, -0.5, 1e-12);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 2}, Labels{0, 0, 1, 1}).v_measure, 0.8, 0.005);
  EXPECT_NEAR(score_clustering(Labels{0, 1, 2, 3}, Labels{0, 0, 1, 1}).v_measure, 0.66, 0.01);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 1}, Labels{0, 0, 1, 2}).homogeneity, 1.0, 1e-12);
  EXPECT_NEAR(score_clustering(Labels{0, 0, 1, 1}, Labels{0, 1, 0, 1}).homogeneity, 0.0, 1e-12);
}

TEST(ClusteringScores, pair_scores_equal_the_count_of_all_pairs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Labels truth = random_labels(40, 1 + static_cast<int>(seed % 7), 2 * seed);
    const Labels found = random_labels(40, 1 + static_cast<int>(seed % 5), 2 * seed + 1);
    double both = 0, only_cluster = 0, only_class = 0, neither = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool same_class = truth[i] == truth[j];
        const bool same_cluster = found[i] == found[j];
        (same_class ? (same_cluster ? both : only_class) : (same_cluster ? only_cluster : neither)) += 1;
      }
    }
    const ClusteringScores scores = score_clustering(truth, found);
    ASSERT_NEAR(scores.pair_precision, both / (both + only_cluster), 1e-12);
    ASSERT_NEAR(scores.pair_recall, both / (both + only_class), 1e-12);
    ASSERT_NEAR(scores.pair_f, 2 * both / (2 * both + only_class + only_cluster), 1e-12);
    if (only_class + only_cluster > 0) {
      const double adjusted =
          2 * (both * neither - only_class * only_cluster) /
          ((both + only_class) * (only_class + neither) + (both + only_cluster) * (only_cluster + neither));
      ASSERT_NEAR(scores.adjusted_rand, adjusted, 1e-12);
    }
  }
}

TEST(ClusteringScores, accuracy_is_the_best_over_all_matchings) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const int classes = 2 + static_cast<int>(seed % 4);
    const int clusters = 2 + static_cast<int>(seed % 3);
    const Labels truth = random_labels(60, classes, 2 * seed);
    const Labels found = random_labels(60, clusters, 2 * seed + 1);
    // Clusters beyond the classes are matched to class numbers that no item has.
    std::vector<int> class_of(static_cast<std::size_t>(std::max(classes, clusters)));
    std::iota(class_of.begin(), class_of.end(), 0);
    int best = 0;
    do {
      int right = 0;
      for (std::size_t i = 0; i < 60; ++i) right += class_of[static_cast<std::size_t>(found[i])] == truth[i];
      best = std::max(best, right);
    } while (std::ranges::next_permutation(class_of).found);
    ASSERT_DOUBLE_EQ(score_clustering(truth, found).accuracy, best / 60.0);
  }
}

TEST(ClusteringScores, renaming_labels_changes_nothing_and_a_renamed_copy_is_perfect) {
  const Labels truth = random_labels(200, 6, 1);
  const Labels found = random_labels(200, 8, 2);
  Labels renamed = found;
  for (auto& label : renamed) label = 1000000 - 37 * label;
  const ClusteringScores plain = score_clustering(truth, found);
  const ClusteringScores other = score_clustering(truth, renamed);
  EXPECT_DOUBLE_EQ(plain.accuracy, other.accuracy);
  EXPECT_NEAR(plain.nmi, other.nmi, 1e-12);
  EXPECT_NEAR(plain.adjusted_rand, other.adjusted_rand, 1e-12);
  const ClusteringScores perfect = score_clustering(found, renamed);
  for (const double score : {perfect.accuracy, perfect.purity, perfect.nmi, perfect.adjusted_rand,
                             perfect.homogeneity, perfect.completeness, perfect.v_measure,
                             perfect.pair_precision, perfect.pair_recall, perfect.pair_f}) {
    EXPECT_NEAR(score, 1, 1e-12);
  }
}

TEST(ClusteringScores, exchanging_the_two_labellings_exchanges_the_one_sided_scores) {
  const Labels truth = random_labels(300, 5, 1);
  Labels found = truth;
  for (std::size_t i = 0; i < 300; i += 3) found[i] = static_cast<std::int32_t>(i % 7);
  const ClusteringScores there = score_clustering(truth, found);
  const ClusteringScores back = score_clustering(found, truth);
  EXPECT_NEAR(there.homogeneity, back.completeness, 1e-12);
  EXPECT_NEAR(there.pair_precision, back.pair_recall, 1e-12);
  EXPECT_NEAR(there.nmi, back.nmi, 1e-12);
  EXPECT_NEAR(there.adjusted_rand, back.adjusted_rand, 1e-12);
  EXPECT_DOUBLE_EQ(there.accuracy, back.accuracy);
}

TEST(ClusteringScores, negative_labels_are_left_out_and_counted) {
  const ClusteringScores scores = score_clustering(Labels{0, -1, 0, 1, 1, 2}, Labels{4, 4, 4, 5, -7, -1});
  EXPECT_EQ(scores.scored, 3);
  EXPECT_EQ(scores.unlabelled, 3);
  EXPECT_EQ(scores.classes, 2);
  EXPECT_DOUBLE_EQ(scores.accuracy, 1);
}

TEST(ClusteringScores, degenerate_labels_score_as_in_scikit_learn) {
  const ClusteringScores nothing = score_clustering(Labels{}, Labels{});
  EXPECT_EQ(nothing.scored, 0);
  EXPECT_EQ(nothing.nmi, 1);
  EXPECT_EQ(nothing.v_measure, 1);
  EXPECT_EQ(nothing.adjusted_rand, 1);
  EXPECT_EQ(nothing.accuracy, 0);
  EXPECT_EQ(nothing.purity, 0);
  EXPECT_EQ(nothing.pair_f, 0);

  const ClusteringScores one_each = score_clustering(Labels{3, 3, 3}, Labels{0, 0, 0});
  EXPECT_EQ(one_each.nmi, 1);
  EXPECT_EQ(one_each.adjusted_rand, 1);
  EXPECT_EQ(one_each.pair_f, 1);

  const ClusteringScores one_cluster =
      score_clustering(Labels{0, 0, 1, 2, 2, 2, 2}, Labels{1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(one_cluster.homogeneity, 0);
  EXPECT_EQ(one_cluster.completeness, 1);
  EXPECT_EQ(one_cluster.v_measure, 0);
  EXPECT_EQ(one_cluster.nmi, 0);
  EXPECT_NEAR(one_cluster.adjusted_rand, 0, 1e-12);
  EXPECT_DOUBLE_EQ(one_cluster.accuracy, 4.0 / 7);

  const ClusteringScores alone = score_clustering(Labels{0, 1, 2, 3}, Labels{3, 2, 1, 0});
  EXPECT_NEAR(alone.nmi, 1, 1e-12);
  EXPECT_EQ(alone.adjusted_rand, 1);
  EXPECT_EQ(alone.pair_precision, 0) << "there is no pair";
  EXPECT_EQ(alone.accuracy, 1);

  const ClusteringScores single = score_clustering(Labels{0}, Labels{0});
  EXPECT_EQ(single.adjusted_rand, 1);
  EXPECT_EQ(single.nmi, 1);
}

TEST(ClusteringScores, independent_labels_share_no_information) {
  for (std::int32_t classes = 2; classes < 12; ++classes) {
    for (std::int32_t clusters = 2; clusters < 12; ++clusters) {
      // Each class is spread over the clusters in the same proportions.
      Labels truth, found;
      for (std::int32_t klass = 0; klass < classes; ++klass) {
        for (std::int32_t cluster = 0; cluster < clusters; ++cluster) {
          for (std::int32_t i = 0; i < (klass + 1) * (cluster + 1); ++i) {
            truth.push_back(klass);
            found.push_back(cluster);
          }
        }
      }
      const ClusteringScores scores = score_clustering(truth, found);
      EXPECT_EQ(scores.nmi, 0) << classes << " classes, " << clusters << " clusters";
      EXPECT_LE(scores.adjusted_rand, 0);
    }
  }
}

TEST(ClusteringScores, refuses_different_lengths) {
  const std::string message = refusal([] { (void)score_clustering(Labels{0, 1}, Labels{0}); });
  EXPECT_NE(message.find("2 labels"), std::string::npos) << message;
}

}  // namespace
}  // namespace contexton
