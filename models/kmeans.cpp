// Lloyd's iterations, restarts, and the checks at the door.
#include "models/kmeans.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/kmeans_start.hpp"
#include "models/random.hpp"
#include "models/sampling.hpp"
#include "models/word_update.hpp"

namespace contexton {
namespace {

// What the random numbers are for; the values are part of what a seed means.
enum Purpose : std::uint64_t { kSample = 1, kRestart = 2, kSeedingRows = 3, kWords = 4 };

class Stopwatch {
 public:
  // Seconds since the last lap, or since the start.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("k-means: " + why);
}

void check_start_words(const Rows& rows, const KMeansOptions& options) {
  const Matrix& start = options.start_words;
  if (options.start != KMeansStart::given) {
    if (start.size() != 0) refuse("start words are given, but the start is not 'given'");
    return;
  }
  if (start.rows() != options.words || start.cols() != rows.dims) {
    refuse("the start words are " + std::to_string(start.rows()) + " x " + std::to_string(start.cols()) +
           ", but " + std::to_string(options.words) + " words of " + std::to_string(rows.dims) +
           " dimensions are asked for");
  }
  if (options.restarts != 1) refuse("restarts from the same given words would all be equal");
  try {
    check_finite(start);
  } catch (const std::invalid_argument& error) {
    refuse(std::string("start words: ") + error.what());
  }
}

void check_options(const Rows& rows, const KMeansOptions& options) {
  if (rows.count < 1) refuse("there are no rows to learn words from");
  if (rows.dims < 1) refuse("the rows have no dimensions");
  if (rows.count > std::numeric_limits<std::uint32_t>::max()) refuse("more than 2^32 - 1 rows");
  if (options.words < 1) refuse("words must be at least 1, not " + std::to_string(options.words));
  if (rows.count < options.words) {
    refuse(std::to_string(options.words) + " words cannot be learnt from " + std::to_string(rows.count) +
           " rows; ask for at most that many words or bring more rows");
  }
  if (options.iterations < 0) refuse("iterations must not be negative");
  if (!(options.tolerance >= 0)) refuse("tolerance must not be negative");
  if (options.restarts < 1) refuse("restarts must be at least 1");
  if (options.seeding_rows_per_word < 0) refuse("seeding_rows_per_word must not be negative");
  if (options.sample < 0) refuse("sample must not be negative");
  if (options.sample > 0 && options.sample < options.words) {
    refuse(std::to_string(options.words) + " words cannot be learnt from a sample of " +
           std::to_string(options.sample) + " rows");
  }
}

// One fit from one start, on the rows learnt from.
class Fit {
 public:
  Fit(const Rows& rows, const KMeansOptions& options, int restart)
      : rows_(rows),
        options_(options),
        restart_(restart),
        labels_(static_cast<std::size_t>(rows.count)),
        squared_distances_(static_cast<std::size_t>(rows.count)) {}

  void run() {
    make_start();
    label_rows(0);
    while (!finished()) {
      const int repaired = repair_empty_words(labels_, squared_distances_, counts_);
      move_words_to_means(rows_, labels_, counts_, words_);
      label_rows(repaired);
    }
  }

  [[nodiscard]] double objective() const { return records_.back().objective; }

  void move_into(KMeansResult& result) {
    result.objective = objective();
    result.words = std::move(words_);
    result.labels = std::move(labels_);
    result.squared_distances = std::move(squared_distances_);
    result.counts = std::move(counts_);
    result.iterations = std::move(records_);
    result.best_restart = restart_;
    result.stop = stop_;
    result.converged = stop_ != KMeansStop::iteration_limit;
    result.rows_seeding = rows_seeding_;
  }

 private:
  void make_start();
  void label_rows(int repaired);
  bool finished();

  // A callback for the parts of an iteration; `from` .. `to` is the part's share of it.
  [[nodiscard]] std::function<void(double)> progress(int iteration, double from, double to) const {
    if (!options_.on_progress) return {};
    return [=, this](double fraction) {
      options_.on_progress({restart_, iteration, from + (to - from) * fraction});
    };
  }

  const Rows rows_;
  const KMeansOptions& options_;
  const int restart_;
  Matrix words_;
  std::vector<std::int32_t> labels_;
  std::vector<float> squared_distances_;
  std::vector<std::int64_t> counts_;
  std::vector<IterationRecord> records_;
  KMeansStop stop_ = KMeansStop::iteration_limit;
  std::int64_t rows_seeding_ = 0;
  Stopwatch watch_;
};

void Fit::make_start() {
  const Random random = Random(options_.seed).fork(kRestart).fork(static_cast<std::uint64_t>(restart_));
  rows_seeding_ = options_.start == KMeansStart::given ? 0 : rows_.count;
  if (options_.start == KMeansStart::given) {
    words_ = options_.start_words;
    return;
  }
  if (options_.start == KMeansStart::random) {
    words_ = random_words(rows_, options_.words, random.fork(kWords));
    return;
  }
  Rows subset = rows_;
  OwnedRows copies;
  const std::int64_t wanted = std::int64_t{options_.words} * options_.seeding_rows_per_word;
  if (wanted > 0 && wanted < rows_.count) {
    copies = OwnedRows(rows_, sample_indices(rows_.count, wanted, random.fork(kSeedingRows)));
    subset = copies.view();
    rows_seeding_ = wanted;
  }
  words_ = kmeans_plus_plus(subset, options_.words, random.fork(kWords), progress(0, 0, 0.5));
}

void Fit::label_rows(int repaired) {
  const int iteration = static_cast<int>(records_.size());
  const auto on_block = progress(iteration, iteration == 0 ? 0.5 : 0, 1);
  const AssignmentChange change = reassign(rows_, Words(words_), labels_, squared_distances_, on_block);
  counts_ = count_labels(labels_, options_.words);

  IterationRecord record{.restart = restart_, .iteration = iteration, .objective = change.objective};
  if (iteration > 0)
    record.moved_fraction = static_cast<double>(change.moved) / static_cast<double>(rows_.count);
  record.empty_words = static_cast<int>(std::ranges::count(counts_, 0));
  record.repaired_words = repaired;
  record.seconds = watch_.lap();
  records_.push_back(record);
  if (options_.on_iteration) options_.on_iteration(record);
}

bool Fit::finished() {
  const IterationRecord& now = records_.back();
  if (now.iteration > 0) {
    if (now.moved_fraction == 0) {
      stop_ = KMeansStop::no_label_moved;
      return true;
    }
    const double before = records_[records_.size() - 2].objective;
    const bool can_repair = now.empty_words > 0 && now.objective > 0;
    if (before - now.objective <= options_.tolerance * before && !can_repair) {
      stop_ = KMeansStop::small_fall;
      return true;
    }
  }
  stop_ = KMeansStop::iteration_limit;
  return now.iteration >= options_.iterations;
}

}  // namespace

std::string_view kmeans_stop_name(KMeansStop stop) {
  switch (stop) {
    case KMeansStop::no_label_moved:
      return "no label moved";
    case KMeansStop::small_fall:
      return "the objective fell by no more than the tolerance";
    case KMeansStop::iteration_limit:
      return "the iteration limit was reached";
  }
  throw std::logic_error("unknown reason to stop");
}

KMeansResult kmeans(const Rows& rows, const KMeansOptions& options) {
  check_options(rows, options);
  check_start_words(rows, options);
  check_finite(rows);

  Rows learnt = rows;
  OwnedRows copies;
  if (options.sample > 0 && options.sample < rows.count) {
    copies = OwnedRows(rows, sample_indices(rows.count, options.sample, Random(options.seed).fork(kSample)));
    learnt = copies.view();
  }

  KMeansResult result;
  result.rows_learnt = learnt.count;
  for (int restart = 0; restart < options.restarts; ++restart) {
    Fit fit(learnt, options, restart);
    fit.run();
    result.restart_objectives.push_back(fit.objective());
    if (restart == 0 || fit.objective() < result.objective) fit.move_into(result);
  }
  if (learnt.count < rows.count) {
    result.labels.assign(static_cast<std::size_t>(rows.count), 0);
    result.squared_distances.assign(static_cast<std::size_t>(rows.count), 0);
    const FitProgress last{result.best_restart, static_cast<int>(result.iterations.size()), 0};
    const auto on_block = [&](double fraction) {
      if (options.on_progress) options.on_progress({last.restart, last.iteration, fraction});
    };
    result.objective =
        reassign(rows, Words(result.words), result.labels, result.squared_distances, on_block).objective;
    result.counts = count_labels(result.labels, options.words);
  }
  return result;
}

}  // namespace contexton
