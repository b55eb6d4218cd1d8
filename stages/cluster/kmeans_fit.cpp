// Callbacks, ordering and figures around k-means.
#include "stages/cluster/kmeans_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace contexton {
namespace {

// Passes over all rows that a fit makes at most; the one more labels the rows outside the sample.
double passes(const KMeansOptions& options) {
  return static_cast<double>(options.restarts) * (options.iterations + 1) + 1;
}

void order_by_count(KMeansResult& fit) {
  std::vector<std::size_t> order(fit.counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t word) { return fit.counts[word]; });

  Matrix words(fit.words.rows(), fit.words.cols());
  std::vector<std::int64_t> counts(order.size());
  std::vector<std::int32_t> new_label(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    words.row(static_cast<Eigen::Index>(place)) = fit.words.row(static_cast<Eigen::Index>(order[place]));
    counts[place] = fit.counts[order[place]];
    new_label[order[place]] = static_cast<std::int32_t>(place);
  }
  for (std::int32_t& label : fit.labels) label = new_label[static_cast<std::size_t>(label)];
  fit.words = std::move(words);
  fit.counts = std::move(counts);
}

}  // namespace

KMeansResult fit_kmeans(const Rows& rows, KMeansOptions options, StageRun& run) {
  const double total = passes(options);
  options.on_progress = [&run, total, per_restart = options.iterations + 1,
                         also = std::move(options.on_progress)](const FitProgress& at) {
    if (also) also(at);
    run.progress(static_cast<double>(at.restart) * per_restart + at.iteration + at.fraction, total);
  };
  run.progress(0, total);
  KMeansResult fit = kmeans(rows, options);
  order_by_count(fit);
  run.progress(total, total);
  return fit;
}

ReportPlot objective_plot(const KMeansResult& fit) {
  ReportSeries series{"mean squared distance", {}, {}};
  for (const IterationRecord& record : fit.iterations) {
    series.x.push_back(record.iteration);
    series.y.push_back(record.objective / static_cast<double>(fit.rows_learnt));
  }
  return {.title = "Objective per iteration",
          .x_label = "iteration",
          .y_label = "mean squared distance",
          .series = {std::move(series)}};
}

int iterations_done(const KMeansResult& fit) {
  return static_cast<int>(fit.iterations.size()) - 1;  // the first record is the start
}

double entropy_bits(std::span<const std::int64_t> counts) {
  double total = 0, entropy = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  for (const std::int64_t count : counts)
    if (count > 0) {
      const double share = static_cast<double>(count) / total;
      entropy -= share * std::log2(share);
    }
  return entropy;
}

}  // namespace contexton
