// Random subsets of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/random.hpp"
#include "models/rows.hpp"

namespace contexton {

// `sample` different numbers out of 0 .. count - 1, every subset equally likely, in rising order. O(count)
// time. Throws std::invalid_argument unless 0 <= sample <= count.
[[nodiscard]] std::vector<std::int64_t> sample_indices(std::int64_t count, std::int64_t sample,
                                                       Random random);

// A copy of some rows.
class OwnedRows {
 public:
  OwnedRows() = default;
  OwnedRows(const Rows& rows, std::span<const std::int64_t> indices);

  [[nodiscard]] Rows view() const;  // valid as long as this object is neither changed nor destroyed

 private:
  Rows shape_;
  std::vector<std::byte> bytes_;
};

}  // namespace contexton
