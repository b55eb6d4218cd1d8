// What the nearest-word search asks of each CPU level. Internal to models/kernels.
//
// This header and nearest_loops.hpp are compiled with different instruction sets, so they hold plain data and
// templates over types private to one source file only: a shared inline function (any of std's, too) could be
// kept by the linker in its AVX-512 form and then crash an older CPU.
#pragma once

#include <cstdint>

namespace contexton::kernels {

// Words are packed in groups of this many; the numbers of one dimension of one group lie side by side.
inline constexpr int kGroupWords = 16;
// The number of groups is padded to a multiple of this, so that every level reads whole panels.
inline constexpr int kGroupMultiple = 2;

// Words around their common centre: b = word - centre. [groups][dims][kGroupWords], 64-byte aligned.
struct GroupedWords {
  const float* values;
  const float* minus_half_norms;  // -|b|^2 / 2 of each word; minus infinity for padding
  int groups;
  int dims;
};

// Rows around the same centre: a = row - centre. `count` is a multiple of the level's tile_rows.
struct CenteredRows {
  const float* values;
  std::int64_t stride;  // floats from one row to the next
  int count;
};

// The leading words of one row. Lane l saw the words l, 16 + l, 32 + l, ...
struct Leaders {
  float best[kGroupWords];          // highest score of the lane
  float second[kGroupWords];        // second highest score of the lane
  std::int32_t group[kGroupWords];  // the group `best` came from
};

// What the leaders say, when a float score may be wrong by a given error.
struct Verdict {
  std::int32_t word;  // the highest score
  float threshold;    // words that score below it cannot be the nearest
  bool certain;       // no other word reaches the threshold
};

// Told of every word whose score is not below the row's threshold.
struct CandidateSink {
  void* context;
  void (*add)(void* context, int row, int word);
};

// score(row, word) = a.b - |b|^2 / 2 in float: half the fall of the squared distance, so the highest score is
// the nearest word.
struct NearestKernels {
  int tile_rows;

  // Writes row - centre, and its norm rounded to float.
  float (*center_uint8)(const std::uint8_t* row, const float* centre, int dims, float* centered);
  float (*center_float)(const float* row, const float* centre, int dims, float* centered);

  // Raises `leaders` (one per row, set by the caller) by all words.
  void (*find_leaders)(const CenteredRows& rows, const GroupedWords& words, Leaders* leaders);
  // An infinite or NaN error, or NaN scores, are never certain.
  Verdict (*judge)(const Leaders& leaders, double error);
  // `thresholds` has one number per row; NaN lets every word through. May report padding words.
  void (*find_candidates)(const CenteredRows& rows, const GroupedWords& words, const float* thresholds,
                          const CandidateSink& sink);

  // sum (row - word)^2 in double; the same bits at every level (fixed lanes, no fused multiply-add).
  double (*distance_uint8)(const std::uint8_t* row, const float* word, int dims);
  double (*distance_float)(const float* row, const float* word, int dims);
};

extern const NearestKernels kScalarNearest;
extern const NearestKernels kAvx2Nearest;
extern const NearestKernels kAvx512Nearest;

}  // namespace contexton::kernels
