// Cuts rows into fixed pieces, searches them in parallel, and adds up in the pieces' order.
#include "models/assign.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace contexton {
namespace {

// Fixed, so that the order of additions does not depend on threads.
constexpr std::int64_t kPieceRows = 1024;
// Multiplications between two calls of on_block: some 0.05 s on a recent core, under a second on any.
constexpr std::int64_t kBlockWork = std::int64_t{1} << 31;
// Bytes read between two calls: a caller that reads from disk may let go of them there.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 24;
constexpr float kLargestValue = 1e15F;

AssignmentChange reassign_piece(const Rows& piece, const Words& words, std::span<std::int32_t> labels,
                                std::span<float> squared_distances) {
  std::array<std::int32_t, kPieceRows> old_labels;
  std::copy(labels.begin(), labels.end(), old_labels.begin());
  AssignmentChange change;
  change.objective = nearest_words_on_this_thread(piece, words, labels, squared_distances);
  for (std::size_t row = 0; row < labels.size(); ++row) change.moved += labels[row] != old_labels[row];
  return change;
}

bool is_usable(std::span<const float> row) {
  return std::ranges::all_of(row, [](float value) { return std::abs(value) <= kLargestValue; });
}

}  // namespace

AssignmentChange reassign(const Rows& rows, const Words& words, std::span<std::int32_t> labels,
                          std::span<float> squared_distances, const std::function<void(double)>& on_block) {
  if (labels.size() != static_cast<std::size_t>(rows.count) || squared_distances.size() != labels.size()) {
    throw std::invalid_argument("labels and distances must have one entry per row");
  }
  const std::int64_t pieces = (rows.count + kPieceRows - 1) / kPieceRows;
  const std::int64_t piece_work = kPieceRows * words.count() * words.dims();
  const std::int64_t piece_bytes = kPieceRows * static_cast<std::int64_t>(rows.row_bytes());
  const std::int64_t block_pieces = std::clamp<std::int64_t>(
      kBlockWork / piece_work, 1, std::max<std::int64_t>(1, kBlockBytes / piece_bytes));
  AssignmentChange total;
  std::vector<AssignmentChange> changes;
  for (std::int64_t begin = 0; begin < pieces; begin += block_pieces) {
    const std::int64_t end = std::min(pieces, begin + block_pieces);
    changes.resize(static_cast<std::size_t>(end - begin));
    tbb::parallel_for(begin, end, [&](std::int64_t piece) {
      const std::int64_t first = piece * kPieceRows;
      const std::int64_t last = std::min(rows.count, first + kPieceRows);
      const auto offset = static_cast<std::size_t>(first);
      const auto size = static_cast<std::size_t>(last - first);
      changes[static_cast<std::size_t>(piece - begin)] =
          reassign_piece(rows.slice(first, last), words, labels.subspan(offset, size),
                         squared_distances.subspan(offset, size));
    });
    for (const AssignmentChange& change : changes) {
      total.objective += change.objective;
      total.moved += change.moved;
    }
    if (on_block) on_block(static_cast<double>(end) / static_cast<double>(pieces));
  }
  return total;
}

Assignment assign(const Rows& rows, const Matrix& words) {
  check_finite(rows);
  const auto count = static_cast<std::size_t>(rows.count);
  Assignment result{std::vector<std::int32_t>(count), std::vector<float>(count), 0};
  result.objective = reassign(rows, Words(words), result.labels, result.squared_distances).objective;
  return result;
}

void check_finite(const Rows& rows) {
  if (rows.type == Rows::Type::uint8) return;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bad_row = tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, rows.count, kPieceRows), kNone,
      [&](const auto& range, std::int64_t earliest) {
        for (std::int64_t i = range.begin(); i < range.end(); ++i) {
          if (!is_usable(rows.row<float>(i))) return std::min(earliest, i);
        }
        return earliest;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (bad_row == kNone) return;
  const auto row = rows.row<float>(bad_row);
  const bool finite = std::ranges::all_of(row, [](float value) { return std::isfinite(value); });
  throw std::invalid_argument("row " + std::to_string(bad_row) +
                              (finite ? " holds a number beyond +-1e15" : " holds NaN or infinity"));
}

}  // namespace contexton
