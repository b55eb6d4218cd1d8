// How well a clustering agrees with known classes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace contexton {

// All scores are at most 1, which is perfect agreement; all but adjusted_rand are at least 0. None depends on
// the values of the labels, only on which items share one.
struct ClusteringScores {
  std::int64_t scored = 0;      // items with both labels
  std::int64_t unlabelled = 0;  // items left out because either label is negative
  int classes = 0;              // different labels in the truth, among the items scored
  int clusters = 0;             // different labels in the clustering

  double accuracy = 0;  // fraction of items right when clusters and classes are matched one to one as well
                        // as possible; with more clusters than classes the rest count as wrong
  double purity = 0;    // the same when each cluster stands for its commonest class; rises with more clusters
  double nmi = 0;       // mutual information / arithmetic mean of the two entropies; equals v_measure
  double adjusted_rand = 0;   // 0 expected for random labels; can be negative
  double homogeneity = 0;     // 1: each cluster holds one class only
  double completeness = 0;    // 1: each class lies in one cluster only
  double v_measure = 0;       // their harmonic mean
  double pair_precision = 0;  // of the pairs of items in one cluster, the fraction also in one class
  double pair_recall = 0;     // of the pairs in one class, the fraction also in one cluster
  double pair_f = 0;          // their harmonic mean

  // (cluster label, class label) of the matching behind `accuracy`, by cluster; min(clusters, classes) pairs.
  std::vector<std::pair<std::int32_t, std::int32_t>> matching;
};

// Compares two labellings of the same items; a negative label means "not labelled". Throws
// std::invalid_argument when the lengths differ.
//
// Where a score is not defined by its formula, it is what scikit-learn returns: one cluster and one class:
// nmi, v_measure, adjusted_rand 1; one cluster only: completeness 1, homogeneity and nmi 0 (and the reverse
// for one class); nothing scored: nmi, v_measure, homogeneity, completeness, adjusted_rand 1; all items alone
// in both: adjusted_rand 1. Pair scores without a pair in common are 0, and so are accuracy and purity of
// nothing.
//
// O(n log n) time for n items, and for k clusters and c classes O(k c) memory and O(min^2 max) time to match
// them.
[[nodiscard]] ClusteringScores score_clustering(std::span<const std::int32_t> truth,
                                                std::span<const std::int32_t> clusters);

}  // namespace contexton
