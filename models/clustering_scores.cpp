// All scores from one table of counts: how many items of each class are in each cluster.
#include "models/clustering_scores.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "models/matching.hpp"

namespace contexton {
namespace {

struct Cell {
  std::size_t cluster, klass;
  double items;
};

struct Contingency {
  std::vector<std::int32_t> cluster_labels, class_labels;  // rising
  std::vector<Cell> cells;                                 // only those with items, sorted
  std::vector<double> cluster_sizes, class_sizes;
  double items = 0;
};

std::vector<std::int32_t> different_labels(std::vector<std::int32_t> labels) {
  std::ranges::sort(labels);
  const auto rest = std::ranges::unique(labels);
  labels.erase(rest.begin(), rest.end());
  return labels;
}

std::size_t position(const std::vector<std::int32_t>& labels, std::int32_t label) {
  return static_cast<std::size_t>(std::ranges::lower_bound(labels, label) - labels.begin());
}

Contingency count_pairs(std::vector<std::pair<std::int32_t, std::int32_t>> cluster_and_class) {
  Contingency table;
  std::vector<std::int32_t> clusters, classes;
  for (const auto& [cluster, klass] : cluster_and_class) {
    clusters.push_back(cluster);
    classes.push_back(klass);
  }
  table.items = static_cast<double>(cluster_and_class.size());
  table.cluster_labels = different_labels(std::move(clusters));
  table.class_labels = different_labels(std::move(classes));
  table.cluster_sizes.assign(table.cluster_labels.size(), 0);
  table.class_sizes.assign(table.class_labels.size(), 0);

  std::ranges::sort(cluster_and_class);
  for (auto first = cluster_and_class.begin(); first != cluster_and_class.end();) {
    const auto last = std::upper_bound(first, cluster_and_class.end(), *first);
    const Cell cell{position(table.cluster_labels, first->first), position(table.class_labels, first->second),
                    static_cast<double>(last - first)};
    table.cells.push_back(cell);
    table.cluster_sizes[cell.cluster] += cell.items;
    table.class_sizes[cell.klass] += cell.items;
    first = last;
  }
  return table;
}

double pairs(double items) {
  return items * (items - 1) / 2;
}

double pairs_within(const std::vector<double>& sizes) {
  double sum = 0;
  for (const double size : sizes) sum += pairs(size);
  return sum;
}

double entropy(const std::vector<double>& sizes, double items) {
  double sum = 0;
  for (const double size : sizes) sum -= size / items * std::log(size / items);
  return sum;
}

double mutual_information(const Contingency& table) {
  double sum = 0;
  for (const Cell& cell : table.cells) {
    const double expected = table.cluster_sizes[cell.cluster] / table.items * table.class_sizes[cell.klass];
    sum += cell.items / table.items * std::log(cell.items / expected);
  }
  // Independent labels give 0 but for rounding.
  return sum <= std::numeric_limits<double>::epsilon() ? 0 : sum;
}

double harmonic_mean(double a, double b) {
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

void score_matching(const Contingency& table, ClusteringScores& scores) {
  Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(table.cluster_labels.size()),
                                                 static_cast<Eigen::Index>(table.class_labels.size()));
  for (const Cell& cell : table.cells) {
    counts(static_cast<Eigen::Index>(cell.cluster), static_cast<Eigen::Index>(cell.klass)) = cell.items;
  }
  const std::vector<int> class_of_cluster = best_matching(counts);
  double right = 0;
  for (std::size_t cluster = 0; cluster < class_of_cluster.size(); ++cluster) {
    const int klass = class_of_cluster[cluster];
    if (klass < 0) continue;
    right += counts(static_cast<Eigen::Index>(cluster), klass);
    scores.matching.emplace_back(table.cluster_labels[cluster],
                                 table.class_labels[static_cast<std::size_t>(klass)]);
  }
  scores.accuracy = right / table.items;
  scores.purity = counts.rowwise().maxCoeff().sum() / table.items;
}

void score_information(const Contingency& table, ClusteringScores& scores) {
  const double class_entropy = entropy(table.class_sizes, table.items);
  const double cluster_entropy = entropy(table.cluster_sizes, table.items);
  const double shared = mutual_information(table);
  scores.homogeneity = class_entropy > 0 ? std::min(1.0, shared / class_entropy) : 1;
  scores.completeness = cluster_entropy > 0 ? std::min(1.0, shared / cluster_entropy) : 1;
  scores.v_measure = harmonic_mean(scores.homogeneity, scores.completeness);
  const double mean_entropy = (class_entropy + cluster_entropy) / 2;
  scores.nmi = mean_entropy > 0 ? std::min(1.0, shared / mean_entropy) : 1;
}

void score_pairs(const Contingency& table, ClusteringScores& scores) {
  double both = 0;  // pairs in one cluster and in one class
  for (const Cell& cell : table.cells) both += pairs(cell.items);
  const double in_cluster = pairs_within(table.cluster_sizes);
  const double in_class = pairs_within(table.class_sizes);
  if (both > 0) {
    scores.pair_precision = both / in_cluster;
    scores.pair_recall = both / in_class;
    scores.pair_f = harmonic_mean(scores.pair_precision, scores.pair_recall);
  }
  // Hubert & Arabie 1985: (index - expected) / (highest - expected).
  const double expected = table.items < 2 ? 0 : in_cluster / pairs(table.items) * in_class;
  const double highest = (in_cluster + in_class) / 2;
  const bool same_pairs = both == in_cluster && both == in_class;
  scores.adjusted_rand = same_pairs ? 1 : (both - expected) / (highest - expected);
}

}  // namespace

ClusteringScores score_clustering(std::span<const std::int32_t> truth,
                                  std::span<const std::int32_t> clusters) {
  if (truth.size() != clusters.size()) {
    throw std::invalid_argument("the truth has " + std::to_string(truth.size()) +
                                " labels, the clustering has " + std::to_string(clusters.size()));
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> cluster_and_class;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] >= 0 && clusters[i] >= 0) cluster_and_class.emplace_back(clusters[i], truth[i]);
  }
  ClusteringScores scores;
  scores.scored = static_cast<std::int64_t>(cluster_and_class.size());
  scores.unlabelled = static_cast<std::int64_t>(truth.size()) - scores.scored;
  const Contingency table = count_pairs(std::move(cluster_and_class));
  scores.classes = static_cast<int>(table.class_labels.size());
  scores.clusters = static_cast<int>(table.cluster_labels.size());
  if (scores.scored > 0) score_matching(table, scores);
  score_information(table, scores);
  score_pairs(table, scores);
  return scores;
}

}  // namespace contexton
