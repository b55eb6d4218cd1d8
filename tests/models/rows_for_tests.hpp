// Made-up rows and slow, obvious computations that the tests compare with.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/kernels/cpu.hpp"
#include "models/random.hpp"
#include "models/rows.hpp"

namespace contexton {

inline std::vector<std::uint8_t> random_bytes(std::int64_t count, int dims, std::uint64_t seed,
                                              int limit = 256) {
  Random random(seed);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count * dims));
  for (auto& value : values)
    value = static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(limit)));
  return values;
}

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index dims, std::uint64_t seed, double offset = 0,
                            double scale = 1) {
  Random random(seed);
  Matrix matrix(rows, dims);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = static_cast<float>(offset + scale * random.normal());
  }
  return matrix;
}

// Rows around `blobs` centres that lie far apart compared with their spread of 1.
inline Matrix blobs(Eigen::Index rows, Eigen::Index dims, int blobs, std::uint64_t seed) {
  const Matrix centres = random_matrix(blobs, dims, seed + 1000, 0, 20);
  Matrix matrix = random_matrix(rows, dims, seed);
  for (Eigen::Index i = 0; i < rows; ++i) matrix.row(i) += centres.row(i % blobs);
  return matrix;
}

inline double value_at(const Rows& rows, std::int64_t row, int dim) {
  return rows.type == Rows::Type::uint8
             ? static_cast<double>(rows.row<std::uint8_t>(row)[static_cast<std::size_t>(dim)])
             : static_cast<double>(rows.row<float>(row)[static_cast<std::size_t>(dim)]);
}

inline double slow_squared_distance(const Rows& rows, std::int64_t row, const Matrix& words,
                                    Eigen::Index word) {
  double sum = 0;
  for (int d = 0; d < rows.dims; ++d) {
    const double difference = value_at(rows, row, d) - double{words(word, d)};
    sum += difference * difference;
  }
  return sum;
}

struct SlowNearest {
  std::vector<std::int32_t> labels;
  std::vector<double> squared_distances;
};

inline SlowNearest slow_nearest(const Rows& rows, const Matrix& words) {
  SlowNearest result;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    double best = std::numeric_limits<double>::infinity();
    std::int32_t label = -1;
    for (Eigen::Index word = 0; word < words.rows(); ++word) {
      const double distance = slow_squared_distance(rows, row, words, word);
      if (distance < best) {
        best = distance;
        label = static_cast<std::int32_t>(word);
      }
    }
    result.labels.push_back(label);
    result.squared_distances.push_back(best);
  }
  return result;
}

// Runs `work` with exactly `threads` threads, more than there are cores if asked to.
template <class Work>
auto with_threads(int threads, Work work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute(work);
}

// Forces a CPU level for the lifetime of the object.
class ForcedCpuLevel {
 public:
  explicit ForcedCpuLevel(CpuLevel level) { force_cpu_level(cpu_level_name(level)); }
  ~ForcedCpuLevel() { force_cpu_level("auto"); }
  ForcedCpuLevel(const ForcedCpuLevel&) = delete;
  ForcedCpuLevel& operator=(const ForcedCpuLevel&) = delete;
};

// The message of the std::invalid_argument that `work` throws; empty when it throws nothing.
template <class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace contexton
