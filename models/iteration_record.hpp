// What every iterative method reports after each iteration.
#pragma once

#include <cstdint>

namespace contexton {

struct IterationRecord {
  int restart = 0;            // which fit from a new start this belongs to, from 0
  int iteration = 0;          // 0 is the start, before anything was updated
  double objective = 0;       // what the method lowers; for k-means the sum of squared distances
  double moved_fraction = 1;  // of the rows whose label changed in this iteration
  int empty_words = 0;        // words without a row after this iteration
  int repaired_words = 0;     // words that were empty before this iteration and were given a row
  double seconds = 0;         // wall time of this iteration; of the seeding as well for iteration 0
};

// Where a long fit is, for a progress line.
struct FitProgress {
  int restart = 0;
  int iteration = 0;    // 0 while the start is made
  double fraction = 0;  // of this iteration, 0 .. 1
};

}  // namespace contexton
