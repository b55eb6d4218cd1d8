// Selection sampling, and copies of selected rows.
#include "models/sampling.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace contexton {

std::vector<std::int64_t> sample_indices(std::int64_t count, std::int64_t sample, Random random) {
  if (sample < 0 || sample > count) {
    throw std::invalid_argument("cannot draw " + std::to_string(sample) + " different items out of " +
                                std::to_string(count));
  }
  std::vector<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(sample));
  // Knuth's algorithm S: item i is taken with probability (still wanted) / (still left).
  for (std::int64_t i = 0, wanted = sample; wanted > 0; ++i) {
    if (random.below(static_cast<std::uint64_t>(count - i)) < static_cast<std::uint64_t>(wanted)) {
      chosen.push_back(i);
      --wanted;
    }
  }
  return chosen;
}

OwnedRows::OwnedRows(const Rows& rows, std::span<const std::int64_t> indices)
    : shape_(rows), bytes_(indices.size() * rows.row_bytes()) {
  shape_.data = nullptr;
  shape_.count = static_cast<std::int64_t>(indices.size());
  std::byte* target = bytes_.data();
  for (const std::int64_t index : indices) {
    std::memcpy(target, rows.slice(index, index + 1).data, rows.row_bytes());
    target += rows.row_bytes();
  }
}

Rows OwnedRows::view() const {
  Rows rows = shape_;
  rows.data = bytes_.data();
  return rows;
}

}  // namespace contexton
