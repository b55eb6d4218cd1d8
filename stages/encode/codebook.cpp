// Stage encode.codebook: learns visual words from the descriptors of all images.
#include "stages/types/codebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stages/cluster/kmeans_fit.hpp"
#include "stages/types/labels.hpp"
#include "stages/types/primitives.hpp"

namespace contexton {
namespace {

enum class CodebookMethod { lloyd };

}  // namespace

template <>
struct EnumNames<CodebookMethod> {
  static constexpr std::pair<CodebookMethod, const char*> values[] = {{CodebookMethod::lloyd, "lloyd"}};
};

namespace {

constexpr std::size_t kTableRows = 1000;  // a table of more words makes the report page heavy

// Images in which each word occurs.
std::vector<std::int64_t> documents_of(const Primitives& primitives, std::span<const std::int32_t> labels,
                                       std::size_t words) {
  std::vector<std::int64_t> documents(words, 0);
  std::vector<std::size_t> seen_in(words, 0);  // number of the last image with the word, from 1
  for (std::size_t image = 0; image + 1 < primitives.offsets.size(); ++image) {
    const auto first = static_cast<std::size_t>(primitives.offsets[image]);
    const auto last = static_cast<std::size_t>(primitives.offsets[image + 1]);
    for (std::size_t row = first; row < last; ++row) {
      const auto word = static_cast<std::size_t>(labels[row]);
      if (seen_in[word] == image + 1) continue;
      seen_in[word] = image + 1;
      ++documents[word];
    }
  }
  return documents;
}

Labels labels_from(KMeansResult& fit) {
  Labels labels;
  labels.of = "primitives";
  labels.values = std::move(fit.labels);
  labels.distances = std::move(fit.squared_distances);
  for (float& distance : labels.distances) distance = std::sqrt(distance);
  return labels;
}

std::string facts(const Codebook& codebook, const KMeansResult& fit, double entropy) {
  const auto words = codebook.words.rows();
  std::string text =
      fmt::format("{} words of {} dimensions from {} {} descriptors of {} images.", words,
                  codebook.words.cols(), codebook.descriptors,
                  codebook.descriptor_type == Rows::Type::uint8 ? "uint8" : "float32", codebook.images);
  if (codebook.learnt_from < codebook.descriptors)
    text += fmt::format(" The words were fitted to a random sample of {} of them.", codebook.learnt_from);
  text += fmt::format(" Stopped after {} iterations: {}.", iterations_done(fit), kmeans_stop_name(fit.stop));
  if (fit.restart_objectives.size() > 1)
    text += fmt::format(" Best of {} starts.", fit.restart_objectives.size());
  text += fmt::format(" Mean squared distance {:.4g}; word usage {:.2f} bits of at most {:.2f}.",
                      codebook.objective, entropy, std::log2(static_cast<double>(words)));
  return text;
}

ReportPlot frequency_plot(const Codebook& codebook) {
  ReportSeries series{"descriptors", {}, {}};
  for (const std::int64_t count : codebook.counts) series.y.push_back(static_cast<double>(count));
  return {.title = "Word frequency",
          .x_label = "rank of the word",
          .y_label = "descriptors",
          .series = {std::move(series)},
          .log_x = true,
          .log_y = true};
}

double rounded(double value, double steps_per_unit) {
  return std::round(value * steps_per_unit) / steps_per_unit;
}

ReportTable word_table(const Codebook& codebook) {
  const std::vector<float> idf = codebook.idf();
  const std::size_t words = codebook.counts.size(), shown = std::min(words, kTableRows);
  ReportTable table;
  table.title = shown < words ? fmt::format("The {} commonest of {} words", shown, words) : "Words";
  table.columns = {"word", "descriptors", "share %", "images", "idf"};
  for (std::size_t word = 0; word < shown; ++word) {
    const double share =
        static_cast<double>(codebook.counts[word]) / static_cast<double>(codebook.descriptors);
    table.rows.push_back({word, codebook.counts[word], rounded(100 * share, 1e3), codebook.documents[word],
                          rounded(static_cast<double>(idf[word]), 1e4)});
  }
  return table;
}

struct LearnCodebook {
  int words = 200;
  CodebookMethod method = CodebookMethod::lloyd;
  KMeansStart start = KMeansStart::plus_plus;
  int iterations = 50;
  double tolerance = 1e-4;
  int restarts = 1;
  std::int64_t sample = 0;

  static void describe(Description<LearnCodebook>& stage) {
    stage.named("encode.codebook", "Learns visual words from the descriptors of all images by k-means.");
    stage.random();
    stage.keeps_recipe();
    stage.param("words", &LearnCodebook::words)
        .range(1, 1e6)
        .doc("size of the codebook; about 200 for textures, thousands for retrieval");
    stage.param("method", &LearnCodebook::method)
        .doc("how words are learnt; lloyd is exact k-means, every descriptor compared with every word");
    stage.param("start", &LearnCodebook::start)
        .doc("first words; kmeans++ spreads them over the data, random is quicker but ends in worse words");
    stage.param("iterations", &LearnCodebook::iterations)
        .range(0, 1e5)
        .doc("at most so many updates of the words");
    stage.param("tolerance", &LearnCodebook::tolerance)
        .range(0, 1)
        .doc("stop when an iteration lowers the objective by at most this fraction; 0 runs until it settles");
    stage.param("restarts", &LearnCodebook::restarts)
        .range(1, 1000)
        .doc("fits from different starts, of which the best is kept; not worth its price for many words");
    stage.param("sample", &LearnCodebook::sample)
        .range(0, 4e9)
        .unit("descriptors")
        .doc("fit the words to so many descriptors drawn at random, 0 to all; all are labelled either way");
    stage.input<Primitives>("primitives").doc("descriptors to learn from");
    stage.output<Codebook>("codebook").doc("the words, commonest first");
    stage.output<Labels>("words").doc("the nearest word of every primitive, with its distance");
  }

  void check(StageCheck& check) const {
    if (sample > 0 && sample < words)
      check.error(
          "sample",
          fmt::format("{} words cannot be fitted to {} descriptors; raise sample to at least words, or "
                      "set it to 0 to use all",
                      words, sample));
  }

  Estimate estimate(std::span<const Estimate> inputs) const {
    const Estimate& primitives = inputs[0];
    const double learnt =
        sample > 0 ? std::min(static_cast<double>(sample), primitives.rows) : primitives.rows;
    const double copied = learnt < primitives.rows ? learnt * primitives.row_bytes : 0;
    Estimate expected;
    expected.items = primitives.items;
    expected.rows = static_cast<double>(words);
    expected.row_bytes = primitives.row_bytes * sizeof(float);
    expected.work_bytes = 12 * primitives.rows + copied;
    return expected;
  }

  std::tuple<Codebook, Labels> run(const Primitives& primitives, StageRun& run) const {
    refuse_too_few(primitives);
    KMeansOptions fit_options = options(run.seed());
    // Descriptors are read from disk block by block: those behind us need not stay in memory.
    fit_options.on_progress = [&](const FitProgress&) { primitives.release_pages(); };
    KMeansResult fit = fit_kmeans(primitives.descriptors, std::move(fit_options), run);
    Codebook codebook = codebook_from(fit, primitives, run);
    tell(codebook, fit, run);
    return {std::move(codebook), labels_from(fit)};
  }

 private:
  [[nodiscard]] KMeansOptions options(std::uint64_t seed) const {
    KMeansOptions options;
    options.words = words;
    options.start = start;
    options.iterations = iterations;
    options.tolerance = tolerance;
    options.restarts = restarts;
    options.sample = sample;
    options.seed = seed;
    return options;
  }

  void refuse_too_few(const Primitives& primitives) const {
    if (primitives.size() == 0)
      throw std::runtime_error(
          "there are no primitives to learn words from: check the images, or loosen the feature stage's "
          "thresholds");
    if (primitives.size() < words)
      throw std::runtime_error(fmt::format(
          "{} words cannot be learnt from {} primitives: lower words, add images, or loosen the feature "
          "stage's thresholds",
          words, primitives.size()));
  }

  static Codebook codebook_from(const KMeansResult& fit, const Primitives& primitives, const StageRun& run) {
    Codebook codebook;
    codebook.words = fit.words;
    codebook.descriptor_type = primitives.descriptors.type;
    codebook.counts = fit.counts;
    codebook.documents = documents_of(primitives, fit.labels, fit.counts.size());
    codebook.images = static_cast<std::int64_t>(primitives.offsets.size()) - 1;
    codebook.descriptors = primitives.size();
    codebook.learnt_from = fit.rows_learnt;
    codebook.objective = fit.objective / static_cast<double>(primitives.size());
    codebook.seed = run.seed();
    codebook.recipe = run.recipe("primitives");
    return codebook;
  }

  static void tell(const Codebook& codebook, const KMeansResult& fit, StageRun& run) {
    const double entropy = entropy_bits(codebook.counts);
    run.metric("objective", codebook.objective);
    run.metric("iterations", iterations_done(fit));
    run.metric("empty_words", static_cast<double>(std::ranges::count(codebook.counts, 0)));
    run.metric("entropy", entropy);
    run.report().add(ReportText{facts(codebook, fit, entropy)});
    run.report().add(objective_plot(fit));
    run.report().add(frequency_plot(codebook));
    run.report().add(word_table(codebook));
  }
};

REGISTER_STAGE(LearnCodebook);

}  // namespace
}  // namespace contexton
