// NumPy .npy files: memory-mapped reading, and writing that can grow row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/files.hpp"

namespace contexton {

enum class NpyType { u1, i1, u2, i2, u4, i4, u8, i8, f4, f8 };

template <class T>
constexpr NpyType npy_type_of();
template <>
constexpr NpyType npy_type_of<std::uint8_t>() {
  return NpyType::u1;
}
template <>
constexpr NpyType npy_type_of<std::int32_t>() {
  return NpyType::i4;
}
template <>
constexpr NpyType npy_type_of<std::int64_t>() {
  return NpyType::i8;
}
template <>
constexpr NpyType npy_type_of<float>() {
  return NpyType::f4;
}
template <>
constexpr NpyType npy_type_of<double>() {
  return NpyType::f8;
}

std::size_t npy_item_size(NpyType type);
std::string npy_name(NpyType type);  // "uint8", "float32", ...

// A mapped array of one or two dimensions, C order. Throws InputError that says what is wrong with the file.
class NpyArray {
 public:
  explicit NpyArray(const fs::path& path);
  [[nodiscard]] NpyType type() const { return type_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }  // 1 for a one-dimensional array
  [[nodiscard]] bool one_dimensional() const { return one_dimensional_; }
  [[nodiscard]] const void* data() const { return data_; }
  void release_pages() const { file_->release_pages(); }
  [[nodiscard]] std::span<const std::uint8_t> file_bytes() const { return file_->bytes(); }

  // The values as they lie in the file; the type must be T.
  template <class T>
  [[nodiscard]] std::span<const T> values() const {
    require_type(npy_type_of<T>());
    return {static_cast<const T*>(data_), static_cast<std::size_t>(rows_ * cols_)};
  }
  // Element (r, c) of any type as a number.
  [[nodiscard]] double number(std::int64_t row, std::int64_t col) const;

 private:
  void require_type(NpyType wanted) const;

  std::shared_ptr<const MappedFile> file_;
  std::string path_;
  NpyType type_ = NpyType::u1;
  std::int64_t rows_ = 0, cols_ = 0;
  bool one_dimensional_ = false;
  const void* data_ = nullptr;
};

// The 128 bytes that begin a .npy file. cols < 0: one-dimensional.
std::string npy_header(NpyType type, std::int64_t rows, std::int64_t cols);
inline constexpr std::size_t kNpyHeaderSize = 128;

// A whole file in memory, ready to be written. cols < 0: one-dimensional.
template <class T>
std::string npy_bytes(std::span<const T> values, std::int64_t rows, std::int64_t cols) {
  std::string bytes = npy_header(npy_type_of<T>(), rows, cols);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

}  // namespace contexton
