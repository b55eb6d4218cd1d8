// Stage evaluate.clustering: how well labels agree with known classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "models/clustering_scores.hpp"
#include "pipeline/stage.hpp"
#include "stages/types/labels.hpp"
#include "stages/types/metrics.hpp"

namespace contexton {
namespace {

constexpr std::size_t kLargestConfusionTable = 30;  // clusters or classes; a larger one cannot be read

// Label and class of the items that are in both, by position.
struct Pairs {
  std::vector<std::int32_t> labels, truth;
  std::size_t only_labels = 0, only_truth = 0;  // items found on one side only
};

using NameIndex = std::unordered_map<std::string_view, std::size_t>;

NameIndex index_names(const Labels& labels, const char* port) {
  NameIndex index;
  for (std::size_t i = 0; i < labels.item_names.size(); ++i)
    if (!index.emplace(labels.item_names[i], i).second)
      throw std::runtime_error(fmt::format(
          "{} holds two items called {}, so that it cannot be matched by name", port, labels.item_names[i]));
  return index;
}

Pairs pairs_by_name(const Labels& labels, const Labels& truth) {
  const NameIndex known = index_names(labels, "labels"), classes = index_names(truth, "truth");
  Pairs pairs;
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    const auto found = classes.find(labels.item_names[i]);
    if (found == classes.end()) {
      ++pairs.only_labels;
      continue;
    }
    pairs.labels.push_back(labels.values[i]);
    pairs.truth.push_back(truth.values[found->second]);
  }
  pairs.only_truth = truth.values.size() - pairs.labels.size();
  if (pairs.labels.empty())
    throw std::runtime_error(
        fmt::format("labels and truth have no item in common: labels begin with {}, truth with {}",
                    labels.item_names.front(), truth.item_names.front()));
  return pairs;
}

Pairs pairs_by_order(const Labels& labels, const Labels& truth) {
  if (labels.values.size() != truth.values.size())
    throw std::runtime_error(
        fmt::format("labels are of {} {}, truth is of {} {}, and they have no names to be matched by",
                    labels.values.size(), labels.of, truth.values.size(), truth.of));
  return {labels.values, truth.values};
}

Pairs pair_up(const Labels& labels, const Labels& truth) {
  const bool named = !labels.item_names.empty() && !truth.item_names.empty();
  return named ? pairs_by_name(labels, truth) : pairs_by_order(labels, truth);
}

Metrics metrics_of(const ClusteringScores& scores) {
  return {{{"accuracy", scores.accuracy},
           {"nmi", scores.nmi},
           {"ari", scores.adjusted_rand},
           {"f_measure", scores.pair_f},
           {"precision", scores.pair_precision},
           {"recall", scores.pair_recall},
           {"v_measure", scores.v_measure},
           {"homogeneity", scores.homogeneity},
           {"completeness", scores.completeness},
           {"purity", scores.purity}}};
}

const char* meaning(const std::string& metric) {
  if (metric == "accuracy") return "items right when clusters and classes are matched one to one";
  if (metric == "nmi") return "normalised mutual information (arithmetic mean)";
  if (metric == "ari") return "adjusted Rand index; 0 for random labels";
  if (metric == "f_measure") return "pairs: harmonic mean of precision and recall";
  if (metric == "precision") return "pairs in one cluster that are in one class";
  if (metric == "recall") return "pairs in one class that are in one cluster";
  if (metric == "v_measure") return "harmonic mean of homogeneity and completeness";
  if (metric == "homogeneity") return "1 when each cluster holds one class only";
  if (metric == "completeness") return "1 when each class lies in one cluster";
  return "items right when each cluster stands for its commonest class";  // purity
}

ReportTable score_table(const Metrics& metrics) {
  ReportTable table{"Scores", {"score", "value", "meaning"}, {}};
  for (const auto& [name, value] : metrics.values)
    table.rows.push_back({name, std::round(value * 1e4) / 1e4, meaning(name)});
  return table;
}

// The labels that occur among pairs with both known, sorted.
std::vector<std::int32_t> values_in(const Pairs& pairs, const std::vector<std::int32_t>& side) {
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < side.size(); ++i)
    if (pairs.labels[i] >= 0 && pairs.truth[i] >= 0) values.push_back(side[i]);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Clusters in the order of the classes they are matched to, so that agreement lies on the diagonal; clusters
// without a class come last.
std::vector<std::int32_t> clusters_by_class(const ClusteringScores& scores,
                                            std::vector<std::int32_t> clusters) {
  const auto matched_class = [&](std::int32_t cluster) {
    for (const auto& [label, its_class] : scores.matching)
      if (label == cluster) return its_class;
    return std::numeric_limits<std::int32_t>::max();
  };
  std::ranges::stable_sort(clusters, std::less{}, matched_class);
  return clusters;
}

std::string name_of(const Labels& labels, std::int32_t value) {
  const auto index = static_cast<std::size_t>(value);
  return index < labels.names.size() ? labels.names[index] : std::to_string(value);
}

ReportTable confusion_table(const Pairs& pairs, const ClusteringScores& scores, const Labels& labels,
                            const Labels& truth) {
  const std::vector<std::int32_t> classes = values_in(pairs, pairs.truth);
  const std::vector<std::int32_t> clusters = clusters_by_class(scores, values_in(pairs, pairs.labels));
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> counts;
  for (std::size_t i = 0; i < pairs.labels.size(); ++i) ++counts[{pairs.labels[i], pairs.truth[i]}];

  ReportTable table{"Items of each class (columns) in each cluster (rows)", {"cluster"}, {}};
  for (const std::int32_t its_class : classes) table.columns.push_back(name_of(truth, its_class));
  for (const std::int32_t cluster : clusters) {
    std::vector<nlohmann::json> row{name_of(labels, cluster)};
    for (const std::int32_t its_class : classes) row.emplace_back(counts[{cluster, its_class}]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string facts(const Pairs& pairs, const ClusteringScores& scores) {
  std::string text = fmt::format("{} items scored: {} clusters against {} classes.", scores.scored,
                                 scores.clusters, scores.classes);
  if (scores.unlabelled > 0) text += fmt::format(" {} without label or class left out.", scores.unlabelled);
  if (pairs.only_labels > 0)
    text += fmt::format(" {} labelled items are not in the truth.", pairs.only_labels);
  if (pairs.only_truth > 0) text += fmt::format(" {} items of the truth have no label.", pairs.only_truth);
  return text;
}

struct EvaluateClustering {
  static void describe(Description<EvaluateClustering>& stage) {
    stage.named("evaluate.clustering", "Scores labels against known classes.");
    stage.input<Labels>("labels").doc("what is scored; negative values are left out");
    stage.input<Labels>("truth").doc(
        "the classes; matched to the labels by item name where both have names, else by order");
    stage.output<Metrics>("metrics").doc("accuracy, nmi, ari, f_measure, precision, recall, v_measure, ...");
  }

  Metrics run(const Labels& labels, const Labels& truth, StageRun& run) const {
    const Pairs pairs = pair_up(labels, truth);
    const ClusteringScores scores = score_clustering(pairs.truth, pairs.labels);
    if (scores.scored == 0)
      throw std::runtime_error("no item has both a label and a class: nothing can be scored");
    Metrics metrics = metrics_of(scores);
    for (const auto& [name, value] : metrics.values) run.metric(name, value);
    run.report().add(ReportText{facts(pairs, scores)});
    run.report().add(score_table(metrics));
    if (static_cast<std::size_t>(std::max(scores.classes, scores.clusters)) <= kLargestConfusionTable)
      run.report().add(confusion_table(pairs, scores, labels, truth));
    return metrics;
  }
};

REGISTER_STAGE(EvaluateClustering);

}  // namespace
}  // namespace contexton
