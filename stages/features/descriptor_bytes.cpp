// Conversions of SIFT descriptors, row by row in place or into bytes.
#include "stages/features/descriptor_bytes.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <opencv2/core.hpp>

namespace contexton {
namespace {

constexpr float kByteFactor = 512;

template <class Change>
void for_each_row(std::span<float> rows, const Change& change) {
  assert(rows.size() % kSiftDims == 0);
  for (std::size_t begin = 0; begin < rows.size(); begin += kSiftDims)
    change(rows.subspan(begin).first<kSiftDims>());
}

}  // namespace

void to_descriptor_bytes(std::span<const float> values, std::span<std::uint8_t> bytes) {
  assert(values.size() == bytes.size() && values.size() % kSiftDims == 0);
  if (values.empty()) return;
  // OpenCV's conversion rounds and saturates exactly so, with the widest vectors the CPU has.
  const int rows = static_cast<int>(values.size() / kSiftDims);
  const cv::Mat from(rows, kSiftDims, CV_32F, const_cast<float*>(values.data()));
  cv::Mat to(rows, kSiftDims, CV_8U, bytes.data());
  from.convertTo(to, CV_8U, kByteFactor);
}

void make_unit_norm(std::span<float> rows) {
  for_each_row(rows, [](std::span<float, kSiftDims> row) {
    float squares = 0;
    for (const float value : row) squares += value * value;
    if (squares <= 0) return;
    const float factor = 1 / std::sqrt(squares);
    for (float& value : row) value *= factor;
  });
}

void make_root_sift(std::span<float> rows) {
  for_each_row(rows, [](std::span<float, kSiftDims> row) {
    float sum = 0;
    for (float& value : row) {
      value = std::max(value, 0.0F);
      sum += value;
    }
    if (sum <= 0) return;
    const float factor = 1 / sum;
    for (float& value : row) value = std::sqrt(value * factor);
  });
}

}  // namespace contexton
