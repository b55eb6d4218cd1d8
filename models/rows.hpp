// Views of many vectors of equal length, such as descriptors: N rows of d numbers, uint8 or float32.
#pragma once

#include <Eigen/Core>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace contexton {

// One row per item or word, contiguous row by row.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A non-owning, read-only view of `count` rows of `dims` numbers, row after row without gaps. Cheap to copy.
// The viewed memory (a vector, an Eigen matrix, a mapped file) must outlive the view.
struct Rows {
  enum class Type { uint8, float32 };

  const void* data = nullptr;
  std::int64_t count = 0;
  int dims = 0;
  Type type = Type::float32;

  Rows() = default;
  // Throws std::invalid_argument unless `values` is a whole number of rows of `row_dims` >= 1 numbers.
  Rows(std::span<const std::uint8_t> values, int row_dims);
  Rows(std::span<const float> values, int row_dims);
  Rows(const Matrix& matrix);               // NOLINT: a view, implicit like std::span
  Rows(const Matrix&& temporary) = delete;  // would dangle

  // Calls `visit` with the rows' element type: rows.visit([&]<class T>(const T* values) { ... });
  template <class Visitor>
  decltype(auto) visit(Visitor&& visit_values) const;

  // The `dims` numbers of row i; T is std::uint8_t or float and must be the view's type.
  template <class T>
  [[nodiscard]] std::span<const T> row(std::int64_t i) const;

  // The rows first .. last - 1.
  [[nodiscard]] Rows slice(std::int64_t first, std::int64_t last) const;

  [[nodiscard]] std::size_t row_bytes() const;
};

// ---- details -------------------------------------------------------------------------------------------

namespace rows_detail {

inline std::int64_t whole_rows(std::size_t values, int dims) {
  if (dims < 1 || values % static_cast<std::size_t>(dims) != 0) {
    throw std::invalid_argument(std::to_string(values) + " values are not a whole number of rows of " +
                                std::to_string(dims) + " dimensions");
  }
  return static_cast<std::int64_t>(values / static_cast<std::size_t>(dims));
}

}  // namespace rows_detail

inline Rows::Rows(std::span<const std::uint8_t> values, int row_dims)
    : data(values.data()),
      count(rows_detail::whole_rows(values.size(), row_dims)),
      dims(row_dims),
      type(Type::uint8) {}

inline Rows::Rows(std::span<const float> values, int row_dims)
    : data(values.data()),
      count(rows_detail::whole_rows(values.size(), row_dims)),
      dims(row_dims),
      type(Type::float32) {}

inline Rows::Rows(const Matrix& matrix)
    : data(matrix.data()), count(matrix.rows()), dims(static_cast<int>(matrix.cols())), type(Type::float32) {
  assert(matrix.cols() <= std::numeric_limits<int>::max());
}

template <class Visitor>
decltype(auto) Rows::visit(Visitor&& visit_values) const {
  if (type == Type::uint8) return visit_values(static_cast<const std::uint8_t*>(data));
  return visit_values(static_cast<const float*>(data));
}

template <class T>
std::span<const T> Rows::row(std::int64_t i) const {
  static_assert(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, float>);
  assert((type == Type::uint8) == (std::is_same_v<T, std::uint8_t>));
  assert(i >= 0 && i < count);
  return {static_cast<const T*>(data) + i * dims, static_cast<std::size_t>(dims)};
}

inline std::size_t Rows::row_bytes() const {
  return static_cast<std::size_t>(dims) * (type == Type::uint8 ? sizeof(std::uint8_t) : sizeof(float));
}

inline Rows Rows::slice(std::int64_t first, std::int64_t last) const {
  assert(first >= 0 && first <= last && last <= count);
  Rows part = *this;
  part.data = static_cast<const std::byte*>(data) + static_cast<std::size_t>(first) * row_bytes();
  part.count = last - first;
  return part;
}

}  // namespace contexton
