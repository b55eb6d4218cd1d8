// Packs words, feeds the level's kernels block by block, and settles close calls in double.
#include "models/kernels/nearest.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "models/kernels/cpu.hpp"
#include "models/kernels/nearest_kernels.hpp"

namespace contexton {
namespace {

using kernels::GroupedWords;
using kernels::kGroupWords;
using kernels::Leaders;
using kernels::NearestKernels;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kTaskRows = 1024;  // rows of one parallel task
constexpr std::int64_t kBlockFloats = 1
                                      << 15;  // centred rows held at once: 128 KiB, well inside the L2 cache
constexpr int kMostBlockRows = 240;

const NearestKernels& kernels_in_use() {
  switch (cpu_level()) {
    case CpuLevel::avx512:
      return kernels::kAvx512Nearest;
    case CpuLevel::avx2:
      return kernels::kAvx2Nearest;
    case CpuLevel::scalar:
      break;
  }
  return kernels::kScalarNearest;
}

template <class T>
auto center_kernel(const NearestKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) return kernels.center_float;
  if constexpr (!std::is_same_v<T, float>) return kernels.center_uint8;
}

template <class T>
auto distance_kernel(const NearestKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) return kernels.distance_float;
  if constexpr (!std::is_same_v<T, float>) return kernels.distance_uint8;
}

template <class T>
constexpr T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

void check_sizes(const Rows& rows, int dims, std::size_t labels, std::size_t distances) {
  if (rows.dims != dims) {
    throw std::invalid_argument("rows have " + std::to_string(rows.dims) + " dimensions, words have " +
                                std::to_string(dims));
  }
  const auto count = static_cast<std::size_t>(rows.count);
  if (labels != count || distances != count) {
    throw std::invalid_argument(std::to_string(count) + " rows need as many labels and distances, not " +
                                std::to_string(labels) + " and " + std::to_string(distances));
  }
}

}  // namespace

Words::Words(const Matrix& words) : words_(words) {
  if (words.rows() < 1 || words.cols() < 1) {
    throw std::invalid_argument("a codebook of " + std::to_string(words.rows()) + " words of " +
                                std::to_string(words.cols()) + " dimensions cannot be searched");
  }
  for (Eigen::Index word = 0; word < words.rows(); ++word) {
    if (!words.row(word).allFinite()) {
      throw std::invalid_argument("word " + std::to_string(word) + " holds NaN or infinity");
    }
  }
  const Eigen::Index dims = words.cols();
  const Eigen::RowVectorXd mean = words.cast<double>().colwise().mean();
  centre_.resize(static_cast<std::size_t>(dims));
  for (Eigen::Index d = 0; d < dims; ++d) {
    // The mean of finite floats is within their range, but for rounding.
    const double limit = std::numeric_limits<float>::max();
    centre_[static_cast<std::size_t>(d)] = static_cast<float>(std::clamp(mean[d], -limit, limit));
  }

  const auto padded =
      static_cast<std::size_t>(round_up<Eigen::Index>(words.rows(), kGroupWords * kernels::kGroupMultiple));
  grouped_.assign(padded * static_cast<std::size_t>(dims), 0.0F);
  minus_half_norms_.assign(padded, -kInfinity);
  for (Eigen::Index word = 0; word < words.rows(); ++word) {
    double square = 0;
    float* group = grouped_.data() + (word / kGroupWords) * dims * kGroupWords + word % kGroupWords;
    for (Eigen::Index d = 0; d < dims; ++d) {
      const double value = double{words(word, d)} - double{centre_[static_cast<std::size_t>(d)]};
      square += value * value;
      group[d * kGroupWords] = static_cast<float>(value);
    }
    minus_half_norms_[static_cast<std::size_t>(word)] = static_cast<float>(-square / 2);
    largest_norm_ = std::max(largest_norm_, std::sqrt(square));
  }
}

// One search on one thread: holds the buffers of a block of rows.
class NearestSearch {
 public:
  explicit NearestSearch(const Words& words)
      : words_(words),
        kernels_(kernels_in_use()),
        grouped_{.values = words.grouped_.data(),
                 .minus_half_norms = words.minus_half_norms_.data(),
                 .groups = static_cast<int>(words.minus_half_norms_.size()) / kGroupWords,
                 .dims = words.dims()},
        // One cache line more than needed, so that the rows of a tile do not compete for the same cache sets.
        stride_(round_up<std::int64_t>(words.dims(), kGroupWords) + kGroupWords) {}

  template <class T>
  double run(const T* rows, std::int64_t count, std::int32_t* label, float* squared_distance) {
    const std::int64_t most_rows =
        std::clamp<std::int64_t>(kBlockFloats / stride_, kernels_.tile_rows, kMostBlockRows) /
        kernels_.tile_rows * kernels_.tile_rows;
    double sum = 0;
    for (std::int64_t first = 0; first < count; first += most_rows) {
      const int block = static_cast<int>(std::min(most_rows, count - first));
      const T* block_rows = rows + first * grouped_.dims;
      find_block(block_rows, block, label + first);
      sum = measure(block_rows, block, label + first, squared_distance + first, sum);
    }
    return sum;
  }

 private:
  template <class T>
  void find_block(const T* rows, int count, std::int32_t* label);
  template <class T>
  void settle_close_calls(const T* rows, std::int32_t* label);
  template <class T>
  double measure(const T* rows, int count, const std::int32_t* label, float* squared_distance,
                 double sum) const;
  [[nodiscard]] double score_error(float row_norm) const;

  struct CloseCall {
    int row;          // in the block
    float threshold;  // see Verdict
  };

  const Words& words_;
  const NearestKernels& kernels_;
  const GroupedWords grouped_;
  const std::int64_t stride_;
  Words::AlignedFloats centered_;
  std::vector<Leaders, tbb::cache_aligned_allocator<Leaders>> leaders_;
  std::vector<float> norms_;
  std::vector<CloseCall> close_calls_;
};

// How far a float score of the row may be from the exact one, for any word. With u = 2^-24, a and b the row
// and the word around the centre:
//   - a and b are rounded once, |b|^2 / 2 once: 2 u |a||b| + u |b|^2 / 2;
//   - d products are added to -|b|^2 / 2, at most d + 1 roundings reach any term (one each with FMA):
//     gamma(d + 1) (|a||b| + |b|^2 / 2), where gamma(n) = n u / (1 - n u) and sum |a_i b_i| <= |a||b|;
//   - the threshold made from it is rounded once more.
// All are inside gamma(d + 6) (|a||b| + |b|^2 / 2); 2% more covers second-order terms and the rounding of
// |a|. Two terms of another kind: results below the smallest normal float lose up to 2^-149 each, and the
// sums in double that decide close calls are themselves off by (d + 2) 2^-53 relative.
double NearestSearch::score_error(float row_norm) const {
  const double unit = 0x1.0p-24;
  const double steps = grouped_.dims + 6;
  const double size = words_.largest_norm_ * (1.02 * double{row_norm} + words_.largest_norm_ / 2);
  // Beyond these, float overflows or the bound says nothing: every word is a contender.
  if (!(size < 1e37) || !(row_norm < 1e18F) || steps * unit > 0.5) return double{kInfinity};
  const double farthest = 1.02 * double{row_norm} + words_.largest_norm_;
  return 1.02 * steps * unit / (1 - steps * unit) * size + steps * 0x1.0p-148 +
         steps * 0x1.0p-53 * farthest * farthest;
}

template <class T>
void NearestSearch::find_block(const T* rows, int count, std::int32_t* label) {
  const int padded = round_up(count, kernels_.tile_rows);
  centered_.resize(static_cast<std::size_t>(padded * stride_));
  norms_.resize(static_cast<std::size_t>(count));
  for (int row = 0; row < count; ++row) {
    norms_[static_cast<std::size_t>(row)] =
        center_kernel<T>(kernels_)(rows + std::int64_t{row} * grouped_.dims, words_.centre_.data(),
                                   grouped_.dims, centered_.data() + row * stride_);
  }
  Leaders nobody{};
  std::fill_n(nobody.best, kGroupWords, -kInfinity);
  std::fill_n(nobody.second, kGroupWords, -kInfinity);
  leaders_.assign(static_cast<std::size_t>(padded), nobody);
  kernels_.find_leaders({centered_.data(), stride_, padded}, grouped_, leaders_.data());

  close_calls_.clear();
  for (int row = 0; row < count; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const kernels::Verdict verdict = kernels_.judge(leaders_[at], score_error(norms_[at]));
    label[row] = verdict.word;
    if (!verdict.certain) close_calls_.push_back({row, verdict.threshold});
  }
  if (!close_calls_.empty()) settle_close_calls(rows, label);
}

// A second pass of the close calls only: every word at or above the threshold is measured in double.
template <class T>
void NearestSearch::settle_close_calls(const T* rows, std::int32_t* label) {
  struct Settling {
    const NearestSearch& search;
    const T* rows;
    std::int32_t* label;
    std::vector<double> distance;

    static void add(void* context, int index, int word) {
      auto& self = *static_cast<Settling*>(context);
      const auto& calls = self.search.close_calls_;
      const auto call = static_cast<std::size_t>(index);
      const Matrix& words = self.search.words_.words_;
      if (call >= calls.size() || word >= words.rows()) return;  // padding
      const int row = calls[call].row;
      const double distance = distance_kernel<T>(self.search.kernels_)(
          self.rows + std::int64_t{row} * words.cols(), words.data() + word * words.cols(),
          static_cast<int>(words.cols()));
      if (distance < self.distance[call] || (distance == self.distance[call] && word < self.label[row])) {
        self.distance[call] = distance;
        self.label[row] = word;
      }
    }
  };
  // The rows of the close calls move to the front of the block; an index never exceeds its row.
  const std::size_t calls = close_calls_.size();
  std::vector<float> thresholds(
      static_cast<std::size_t>(round_up(static_cast<int>(calls), kernels_.tile_rows)), kInfinity);
  for (std::size_t call = 0; call < calls; ++call) {
    const int row = close_calls_[call].row;
    std::copy_n(centered_.data() + row * stride_, grouped_.dims,
                centered_.data() + static_cast<std::int64_t>(call) * stride_);
    thresholds[call] = close_calls_[call].threshold;
    label[row] = 0;  // stays when nothing compares, which only a row with NaN can bring about
  }
  Settling settling{*this, rows, label, std::vector<double>(calls, std::numeric_limits<double>::infinity())};
  kernels_.find_candidates({centered_.data(), stride_, static_cast<int>(thresholds.size())}, grouped_,
                           thresholds.data(), {&settling, &Settling::add});
}

template <class T>
double NearestSearch::measure(const T* rows, int count, const std::int32_t* label, float* squared_distance,
                              double sum) const {
  const Matrix& words = words_.words_;
  for (int row = 0; row < count; ++row) {
    const double distance = distance_kernel<T>(kernels_)(
        rows + std::int64_t{row} * grouped_.dims, words.data() + label[row] * words.cols(), grouped_.dims);
    squared_distance[row] = static_cast<float>(distance);
    sum += distance;
  }
  return sum;
}

double nearest_words_on_this_thread(const Rows& rows, const Words& words, std::span<std::int32_t> label,
                                    std::span<float> squared_distance) {
  check_sizes(rows, words.dims(), label.size(), squared_distance.size());
  NearestSearch search(words);
  return rows.visit([&](const auto* values) {
    return search.run(values, rows.count, label.data(), squared_distance.data());
  });
}

void nearest_words(const Rows& rows, const Words& words, std::span<std::int32_t> label,
                   std::span<float> squared_distance) {
  check_sizes(rows, words.dims(), label.size(), squared_distance.size());
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows.count, kTaskRows), [&](const auto& range) {
    const auto first = static_cast<std::size_t>(range.begin());
    nearest_words_on_this_thread(rows.slice(range.begin(), range.end()), words,
                                 label.subspan(first, range.size()),
                                 squared_distance.subspan(first, range.size()));
  });
}

void squared_distances_to(const Rows& rows, std::span<const float> vector,
                          std::span<double> squared_distance) {
  check_sizes(rows, static_cast<int>(vector.size()), squared_distance.size(), squared_distance.size());
  rows.visit([&]<class T>(const T* values) {
    const auto distance = distance_kernel<T>(kernels_in_use());
    for (std::int64_t row = 0; row < rows.count; ++row) {
      squared_distance[static_cast<std::size_t>(row)] =
          distance(values + row * rows.dims, vector.data(), rows.dims);
    }
  });
}

}  // namespace contexton
