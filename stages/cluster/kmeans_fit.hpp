// K-means as stages use it: with progress and Ctrl-C, words in order of how common they are, and its plot.
#pragma once

#include <utility>

#include "models/kmeans.hpp"
#include "pipeline/stage.hpp"

namespace contexton {

template <>
struct EnumNames<KMeansStart> {  // `given` needs words that no parameter can hold
  static constexpr std::pair<KMeansStart, const char*> values[] = {{KMeansStart::plus_plus, "kmeans++"},
                                                                   {KMeansStart::random, "random"}};
};

// k-means with `seed` and `run`'s progress line. Words come in descending order of their rows, so that word 0
// is the commonest; ties keep the order of the fit. `options.on_progress` is called too, if set. Throws
// Interrupted after Ctrl-C.
[[nodiscard]] KMeansResult fit_kmeans(const Rows& rows, KMeansOptions options, StageRun& run);

// Mean squared distance of the rows learnt from, after each iteration.
[[nodiscard]] ReportPlot objective_plot(const KMeansResult& fit);

// Updates of the words in the fit that was kept.
[[nodiscard]] int iterations_done(const KMeansResult& fit);

// How evenly the words are used: bits, at most log2 of their number. O(words).
[[nodiscard]] double entropy_bits(std::span<const std::int64_t> counts);

}  // namespace contexton
