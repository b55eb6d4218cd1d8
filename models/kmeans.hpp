// Exact k-means (Lloyd's method): learns the words of a codebook from rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/assign.hpp"
#include "models/iteration_record.hpp"
#include "models/rows.hpp"

namespace contexton {

enum class KMeansStart {
  plus_plus,  // k-means++: each next word is a row drawn in proportion to its squared distance to the words
              // so far
  random,     // different rows, all equally likely; fast, but ends in worse optima
  given,      // KMeansOptions::start_words
};

struct KMeansOptions {
  int words = 100;          // k, 1 .. number of rows
  int iterations = 50;      // at most so many updates of the words; 0 keeps the start
  double tolerance = 1e-4;  // stop when an iteration lowers the objective by at most this fraction; with 0
                            // only when it no longer falls
  int restarts = 1;  // whole fits from different starts, of which the one with the lowest objective is kept;
                     // not worth its price for many words, where all optima are about equally good
  std::uint64_t seed = 0;   // any value; 0 is a seed like others
  std::int64_t sample = 0;  // learn from so many random rows, the same for all restarts; 0, or more than
                            // there are: from all rows. At least `words`
  KMeansStart start = KMeansStart::plus_plus;
  int seeding_rows_per_word =
      64;              // k-means++ draws from a random subset of so many rows per word, because it
                       // costs O(subset x words x dims); 0 = from all rows. Not used by other starts
  Matrix start_words;  // for KMeansStart::given: words x dims

  // After each iteration, on the calling thread. May throw to stop the fit.
  std::function<void(const IterationRecord&)> on_iteration;
  // Between blocks of work inside seeding and iterations, many times a second, on the calling thread. May
  // throw to stop the fit (Ctrl-C), which then leaves nothing behind.
  std::function<void(const FitProgress&)> on_progress;
};

enum class KMeansStop {
  no_label_moved,   // a fixed point: further iterations would change nothing
  small_fall,       // the objective fell by no more than `tolerance`
  iteration_limit,  // `iterations` were done
};

// "no label moved", ...: for messages and run.json.
[[nodiscard]] std::string_view kmeans_stop_name(KMeansStop stop);

struct KMeansResult {
  Matrix words;                      // words x dims
  std::vector<std::int32_t> labels;  // of every row given (also those outside the sample): its nearest word
  std::vector<float> squared_distances;  // of every row to that word
  std::vector<std::int64_t> counts;      // rows of each word; 0 for an empty word
  double objective = 0;                  // sum of the squared distances over every row given

  std::vector<IterationRecord> iterations;  // of the best restart, the start first; objectives are those of
                                            // the rows learnt from
  std::vector<double> restart_objectives;   // last objective of each restart, on the rows learnt from
  int best_restart = 0;
  KMeansStop stop = KMeansStop::iteration_limit;
  bool converged = false;         // stopped for another reason than the iteration limit
  std::int64_t rows_learnt = 0;   // rows learnt from: all of them, or KMeansOptions::sample
  std::int64_t rows_seeding = 0;  // rows the start was drawn from; 0 when it was given
};

// One iteration moves every word to the mean of its rows and labels every row with its nearest word (exact,
// see nearest_words; the labels returned belong to the words returned). The objective never increases. A word
// that lost all its rows is given the farthest row of the word with the largest sum of squared distances.
//
// Fewer different rows than words is allowed: the words left over lie on top of others, stay empty (count 0,
// IterationRecord::empty_words), and the objective is 0 or becomes so.
//
// Same rows, options and seed: same bytes, for any number of threads and any CPU level.
// O(iterations x rows x words x dims) time in the current TBB arena; beside the result about 4 bytes per row,
// plus a copy of the rows that a sample or the seeding uses. At most 2^32 - 1 rows.
//
// Throws std::invalid_argument when there are no rows or dimensions, fewer rows than words, NaN, infinity or
// numbers beyond +-1e15 in a row (named), or an option out of its range.
[[nodiscard]] KMeansResult kmeans(const Rows& rows, const KMeansOptions& options);

}  // namespace contexton
