// Stage cluster.kmeans: groups vectors, such as the histograms of images.
#include "stages/cluster/kmeans_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stages/types/labels.hpp"
#include "stages/types/vectors.hpp"

namespace contexton {
namespace {

// The items nearest to each cluster's centre, to see what a cluster is about.
std::vector<std::string> typical_items(const KMeansResult& fit, const Vectors& vectors) {
  std::vector<std::string> names(fit.counts.size());
  std::vector<float> nearest(fit.counts.size(), std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < fit.labels.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(fit.labels[i]);
    if (fit.squared_distances[i] >= nearest[cluster]) continue;
    nearest[cluster] = fit.squared_distances[i];
    names[cluster] = vectors.table->names[i];
  }
  return names;
}

ReportTable size_table(const KMeansResult& fit, const Vectors& vectors) {
  const std::vector<std::string> typical = typical_items(fit, vectors);
  const double items = static_cast<double>(fit.labels.size());
  ReportTable table{"Clusters", {"cluster", "items", "share %", "nearest to its centre"}, {}};
  for (std::size_t cluster = 0; cluster < fit.counts.size(); ++cluster)
    table.rows.push_back({cluster, fit.counts[cluster],
                          std::round(1e4 * static_cast<double>(fit.counts[cluster]) / items) / 100,
                          typical[cluster]});
  return table;
}

ReportPlot size_plot(const KMeansResult& fit) {
  ReportSeries series{"items", {}, {}};
  for (std::size_t cluster = 0; cluster < fit.counts.size(); ++cluster) {
    series.x.push_back(static_cast<double>(cluster));
    series.y.push_back(static_cast<double>(fit.counts[cluster]));
  }
  return {.title = "Cluster sizes",
          .x_label = "cluster",
          .y_label = "items",
          .series = {std::move(series)},
          .bars = true};
}

struct ClusterVectors {
  int clusters = 10;
  KMeansStart start = KMeansStart::plus_plus;
  int iterations = 100;
  double tolerance = 1e-4;
  int restarts = 10;

  static void describe(Description<ClusterVectors>& stage) {
    stage.named("cluster.kmeans", "Groups vectors, one per image, into clusters by k-means.");
    stage.random();
    stage.param("clusters", &ClusterVectors::clusters).range(1, 1e6).doc("number of groups");
    stage.param("start", &ClusterVectors::start)
        .doc(
            "first centres; kmeans++ spreads them over the data, random is quicker but ends in worse groups");
    stage.param("iterations", &ClusterVectors::iterations)
        .range(0, 1e5)
        .doc("at most so many updates of the centres, for each start");
    stage.param("tolerance", &ClusterVectors::tolerance)
        .range(0, 1)
        .doc("stop when an iteration lowers the objective by at most this fraction; 0 runs until it settles");
    stage.param("restarts", &ClusterVectors::restarts)
        .range(1, 1e5)
        .doc("fits from different starts, of which the one with the lowest objective is kept");
    stage.input<Vectors>("vectors").doc("one row of numbers per item");
    stage.output<Labels>("labels").doc(
        "the cluster of every item, 0 the largest, with its distance to the centre");
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    Estimate expected;
    expected.items = inputs[0].items;
    expected.rows = inputs[0].rows;
    expected.row_bytes = sizeof(std::int32_t) + sizeof(float);
    expected.work_bytes = 12 * inputs[0].rows + clusters * inputs[0].row_bytes;
    return expected;
  }

  Labels run(const Vectors& vectors, StageRun& run) const {
    refuse_too_few(vectors);
    KMeansResult fit = fit_kmeans(vectors.rows, options(run.seed()), run);
    tell(fit, vectors, run);
    Labels labels;
    labels.of = "vectors";
    labels.values = std::move(fit.labels);
    labels.distances = std::move(fit.squared_distances);
    for (float& distance : labels.distances) distance = std::sqrt(distance);
    for (int cluster = 0; cluster < clusters; ++cluster)
      labels.names.push_back(fmt::format("cluster {}", cluster));
    labels.item_names = vectors.table->names;
    return labels;
  }

 private:
  [[nodiscard]] KMeansOptions options(std::uint64_t seed) const {
    KMeansOptions options;
    options.words = clusters;
    options.start = start;
    options.iterations = iterations;
    options.tolerance = tolerance;
    options.restarts = restarts;
    options.seed = seed;
    return options;
  }

  void refuse_too_few(const Vectors& vectors) const {
    if (vectors.rows.count == 0) throw std::runtime_error("there are no vectors to cluster: check the input");
    if (vectors.rows.count < clusters)
      throw std::runtime_error(
          fmt::format("{} clusters cannot be made from {} vectors: lower clusters or add items", clusters,
                      vectors.rows.count));
  }

  static void tell(const KMeansResult& fit, const Vectors& vectors, StageRun& run) {
    const double objective = fit.objective / static_cast<double>(fit.labels.size());
    run.metric("objective", objective);
    run.metric("iterations", iterations_done(fit));
    run.metric("empty_clusters", static_cast<double>(std::ranges::count(fit.counts, 0)));
    run.report().add(ReportText{fmt::format(
        "{} items in {} clusters; best of {} starts, {} iterations: {}. Mean squared distance {:.4g}.",
        fit.labels.size(), fit.counts.size(), fit.restart_objectives.size(), iterations_done(fit),
        kmeans_stop_name(fit.stop), objective)});
    run.report().add(size_plot(fit));
    run.report().add(size_table(fit, vectors));
    run.report().add(objective_plot(fit));
  }
};

REGISTER_STAGE(ClusterVectors);

}  // namespace
}  // namespace contexton
