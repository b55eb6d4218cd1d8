// The loops of the nearest-word search, written once for all CPU levels. Internal: only the nearest_*.cpp
// files include it, each with its own `Simd` type from an unnamed namespace (see nearest_kernels.hpp for
// why).
#pragma once

#include "models/kernels/nearest_kernels.hpp"

namespace contexton::kernels {

// Level: Simd (vector type and operations), kTileRows x kPanelGroups (how many scores stay in registers).
template <class Level>
struct NearestLoops {
  using Simd = typename Level::Simd;
  using Vector = typename Simd::Vector;
  using Indices = typename Simd::Indices;
  static constexpr int kRows = Level::kTileRows;
  static constexpr int kLanes = Simd::kLanes;
  static constexpr int kGroupVectors = kGroupWords / kLanes;
  static constexpr int kVectors = Level::kPanelGroups * kGroupVectors;
  static_assert(kGroupMultiple % Level::kPanelGroups == 0);

  // Calls finish(first row of the tile, first group of the panel, scores) for every tile. Panels are the
  // outer loop: a panel of words stays in the first-level cache while all rows pass.
  template <class Finish>
  static inline void for_each_tile(const CenteredRows& rows, const GroupedWords& words, Finish finish) {
    const std::int64_t group_size = static_cast<std::int64_t>(words.dims) * kGroupWords;
    for (int group = 0; group < words.groups; group += Level::kPanelGroups) {
      const float* panel = words.values + group * group_size;
      const float* start = words.minus_half_norms + group * kGroupWords;
      for (int first = 0; first < rows.count; first += kRows) {
        Vector score[kRows][kVectors];
        for (int v = 0; v < kVectors; ++v) {
          const Vector value = Simd::load(start + v * kLanes);
          for (int r = 0; r < kRows; ++r) score[r][v] = value;
        }
        multiply(rows.values + first * rows.stride, rows.stride, panel, words.dims, score);
        finish(first, group, score);
      }
    }
  }

  [[gnu::always_inline]] static inline void multiply(const float* rows, std::int64_t stride,
                                                     const float* panel, int dims,
                                                     Vector (&score)[kRows][kVectors]) {
    const std::int64_t group_size = static_cast<std::int64_t>(dims) * kGroupWords;
    for (int d = 0; d < dims; ++d) {
      Vector word[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        word[v] = Simd::load(panel + (v / kGroupVectors) * group_size + (v % kGroupVectors) * kLanes);
      }
      for (int r = 0; r < kRows; ++r) {
        const Vector value = Simd::broadcast(rows[r * stride]);
        for (int v = 0; v < kVectors; ++v) score[r][v] = Simd::multiply_add(value, word[v], score[r][v]);
      }
      panel += kGroupWords;
      ++rows;
    }
  }

  static void find_leaders(const CenteredRows& rows, const GroupedWords& words, Leaders* leaders) {
    for_each_tile(rows, words, [leaders](int first, int group, const Vector(&score)[kRows][kVectors]) {
      for (int r = 0; r < kRows; ++r) {
        Leaders& row = leaders[first + r];
        for (int part = 0; part < kGroupVectors; ++part) {
          Vector best = Simd::load(row.best + part * kLanes);
          Vector second = Simd::load(row.second + part * kLanes);
          Indices from = Simd::load_indices(row.group + part * kLanes);
          for (int g = 0; g < Level::kPanelGroups; ++g) {
            const Vector value = score[r][g * kGroupVectors + part];
            from = Simd::index_if_greater(value, best, group + g, from);
            second = Simd::max(second, Simd::min(best, value));
            best = Simd::max(best, value);
          }
          Simd::store(row.best + part * kLanes, best);
          Simd::store(row.second + part * kLanes, second);
          Simd::store_indices(row.group + part * kLanes, from);
        }
      }
    });
  }

  static void find_candidates(const CenteredRows& rows, const GroupedWords& words, const float* thresholds,
                              const CandidateSink& sink) {
    for_each_tile(rows, words, [&](int first, int group, const Vector(&score)[kRows][kVectors]) {
      for (int r = 0; r < kRows; ++r) {
        const Vector threshold = Simd::broadcast(thresholds[first + r]);
        for (int v = 0; v < kVectors; ++v) {
          for (unsigned lanes = Simd::not_less(score[r][v], threshold); lanes != 0; lanes &= lanes - 1) {
            sink.add(sink.context, first + r, group * kGroupWords + v * kLanes + __builtin_ctz(lanes));
          }
        }
      }
    });
  }

  static Verdict judge(const Leaders& leaders, double error) {
    float highest[kGroupWords];
    for (int l = 0; l < kGroupWords; ++l) highest[l] = leaders.best[l];
    for (int half = kGroupWords / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l)
        highest[l] = highest[l] > highest[l + half] ? highest[l] : highest[l + half];
    }
    Verdict verdict{0, static_cast<float>(static_cast<double>(highest[0]) - 2 * error), false};
    const unsigned contenders = lanes_not_less(leaders.best, verdict.threshold);
    const unsigned seconds = lanes_not_less(leaders.second, verdict.threshold);
    if (contenders != 0) {
      const int lane = __builtin_ctz(contenders);
      verdict.word = leaders.group[lane] * kGroupWords + lane;
      verdict.certain = (contenders & (contenders - 1)) == 0 && seconds == 0;
    }
    return verdict;
  }

  static unsigned lanes_not_less(const float (&values)[kGroupWords], float threshold) {
    unsigned lanes = 0;
    for (int part = 0; part < kGroupVectors; ++part) {
      lanes |= Simd::not_less(Simd::load(values + part * kLanes), Simd::broadcast(threshold))
               << (part * kLanes);
    }
    return lanes;
  }

  template <class T>
  static float center(const T* row, const float* centre, int dims, float* centered) {
    Vector squares = Simd::broadcast(0);
    int d = 0;
    for (; d + kLanes <= dims; d += kLanes) {
      const Vector value = Simd::read_floats(row + d) - Simd::read_floats(centre + d);
      Simd::write_floats(centered + d, value);
      squares = Simd::multiply_add(value, value, squares);
    }
    float parts[kLanes];
    __builtin_memcpy(parts, &squares, sizeof(parts));
    float square = 0;
    for (int l = 0; l < kLanes; ++l) square += parts[l];
    for (; d < dims; ++d) {
      centered[d] = static_cast<float>(row[d]) - centre[d];
      square += centered[d] * centered[d];
    }
    return __builtin_sqrtf(square);
  }

  // Eight sums, of every eighth dimension each, whatever the width of the level's vectors; so the same bits.
  template <class T>
  static double distance(const T* row, const float* word, int dims) {
    using Doubles = typename Simd::Doubles;
    constexpr int kSums = 8;
    constexpr int kWidth = sizeof(Doubles) / sizeof(double);
    Doubles squares[kSums / kWidth] = {};
    int d = 0;
    for (; d + kSums <= dims; d += kSums) {
      for (int part = 0; part < kSums / kWidth; ++part) {
        const int at = d + part * kWidth;
        const Doubles difference = Simd::read_doubles(row + at) - Simd::read_doubles(word + at);
        squares[part] += difference * difference;
      }
    }
    double sums[kSums];
    __builtin_memcpy(sums, squares, sizeof(sums));
    for (int l = 0; d < dims; ++d, ++l) {
      const double difference = static_cast<double>(row[d]) - static_cast<double>(word[d]);
      sums[l] += difference * difference;
    }
    for (int half = kSums / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    return sums[0];
  }

  static constexpr NearestKernels table() {
    return {.tile_rows = kRows,
            .center_uint8 = center<std::uint8_t>,
            .center_float = center<float>,
            .find_leaders = find_leaders,
            .judge = judge,
            .find_candidates = find_candidates,
            .distance_uint8 = distance<std::uint8_t>,
            .distance_float = distance<float>};
  }
};

}  // namespace contexton::kernels
