// Sorts rows by label, sums fixed pieces of each word's rows in parallel, and splits words to fill empty
// ones.
#include "models/word_update.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>

namespace contexton {
namespace {

// Rows summed by one task. Fixed, so that the order of additions does not depend on threads; and so small
// that sums of bytes fit 32 bits.
constexpr std::size_t kPieceRows = 4096;

// Row numbers sorted by label, in row order within a label.
struct RowsByWord {
  std::vector<std::size_t> first;  // first[w] .. first[w + 1]: where the rows of word w are
  std::vector<std::uint32_t> order;
};

RowsByWord sort_rows(std::span<const std::int32_t> labels, std::span<const std::int64_t> counts) {
  assert(labels.size() <= std::numeric_limits<std::uint32_t>::max());
  RowsByWord sorted{std::vector<std::size_t>(counts.size() + 1), std::vector<std::uint32_t>(labels.size())};
  for (std::size_t word = 0; word < counts.size(); ++word) {
    sorted.first[word + 1] = sorted.first[word] + static_cast<std::size_t>(counts[word]);
  }
  std::vector<std::size_t> next(sorted.first.begin(), sorted.first.end() - 1);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    sorted.order[next[static_cast<std::size_t>(labels[row])]++] = static_cast<std::uint32_t>(row);
  }
  return sorted;
}

struct Piece {
  std::size_t word;
  std::size_t first, last;  // in RowsByWord::order
};

std::vector<Piece> cut_into_pieces(const RowsByWord& sorted) {
  std::vector<Piece> pieces;
  for (std::size_t word = 0; word + 1 < sorted.first.size(); ++word) {
    const std::size_t end = sorted.first[word + 1];
    for (std::size_t first = sorted.first[word]; first < end; first += kPieceRows) {
      pieces.push_back({word, first, std::min(end, first + kPieceRows)});
    }
  }
  return pieces;
}

template <class T>
void sum_rows(const T* values, int dims, std::span<const std::uint32_t> rows, double* sums) {
  // Bytes are summed as integers; double holds the totals exactly, too, up to 2^53.
  using Sum = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, double>;
  static_assert(kPieceRows * 255 <= std::numeric_limits<std::int32_t>::max());
  const auto size = static_cast<std::size_t>(dims);
  std::vector<Sum> total(size);
  for (const std::uint32_t row : rows) {
    const T* value = values + row * size;
    for (std::size_t d = 0; d < size; ++d) total[d] += static_cast<Sum>(value[d]);
  }
  std::copy(total.begin(), total.end(), sums);
}

// The word to split next: the largest sum of squared distances among those with rows to spare, or -1.
std::ptrdiff_t word_to_split(std::span<const double> distance_sums, std::span<const std::int64_t> counts) {
  std::ptrdiff_t worst = -1;
  for (std::size_t word = 0; word < counts.size(); ++word) {
    if (counts[word] < 2 || !(distance_sums[word] > 0)) continue;
    if (worst < 0 || distance_sums[word] > distance_sums[static_cast<std::size_t>(worst)]) {
      worst = static_cast<std::ptrdiff_t>(word);
    }
  }
  return worst;
}

}  // namespace

std::vector<std::int64_t> count_labels(std::span<const std::int32_t> labels, int words) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(words));
  for (const std::int32_t label : labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

int repair_empty_words(std::span<std::int32_t> labels, std::span<float> squared_distances,
                       std::span<std::int64_t> counts) {
  if (std::ranges::find(counts, 0) == counts.end()) return 0;
  const RowsByWord sorted = sort_rows(labels, counts);
  const auto rows_of = [&](std::size_t word) {
    return std::span(sorted.order).subspan(sorted.first[word], sorted.first[word + 1] - sorted.first[word]);
  };
  // Rows given away count with distance 0 from then on, so they are neither summed nor chosen again.
  const auto distance_sum = [&](std::size_t word) {
    double sum = 0;
    for (const std::uint32_t row : rows_of(word)) sum += double{squared_distances[row]};
    return sum;
  };
  std::vector<double> distance_sums(counts.size());
  for (std::size_t word = 0; word < counts.size(); ++word) distance_sums[word] = distance_sum(word);

  int repaired = 0;
  for (std::size_t word = 0; word < counts.size(); ++word) {
    if (counts[word] != 0) continue;
    const std::ptrdiff_t worst = word_to_split(distance_sums, counts);
    if (worst < 0) break;
    const auto donor = static_cast<std::size_t>(worst);
    const std::uint32_t farthest = *std::ranges::max_element(
        rows_of(donor), {}, [&](std::uint32_t row) { return squared_distances[row]; });
    labels[farthest] = static_cast<std::int32_t>(word);
    squared_distances[farthest] = 0;
    counts[word] = 1;
    --counts[donor];
    distance_sums[donor] = distance_sum(donor);
    ++repaired;
  }
  return repaired;
}

void move_words_to_means(const Rows& rows, std::span<const std::int32_t> labels,
                         std::span<const std::int64_t> counts, Matrix& words) {
  const RowsByWord sorted = sort_rows(labels, counts);
  const std::vector<Piece> pieces = cut_into_pieces(sorted);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> sums(
      static_cast<Eigen::Index>(pieces.size()), rows.dims);
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    const Piece& piece = pieces[i];
    const auto members = std::span(sorted.order).subspan(piece.first, piece.last - piece.first);
    double* target = sums.row(static_cast<Eigen::Index>(i)).data();
    rows.visit([&](const auto* values) { sum_rows(values, rows.dims, members, target); });
  });
  for (std::size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
    const std::size_t word = pieces[begin].word;
    const auto total = static_cast<Eigen::Index>(begin);
    for (end = begin + 1; end < pieces.size() && pieces[end].word == word; ++end) {
      sums.row(total) += sums.row(static_cast<Eigen::Index>(end));
    }
    words.row(static_cast<Eigen::Index>(word)) =
        (sums.row(total) / static_cast<double>(counts[word])).cast<float>();
  }
}

}  // namespace contexton
